import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredFile } from './message.ts';

/** Contents of what is too large for a line of the journal: photos, documents, whole e-mails. */
export interface FileStore {
  put(bytes: Uint8Array, named: Pick<StoredFile, 'name' | 'media_type'>): Promise<StoredFile>;
  /** Undefined: there is none of that id. */
  get(id: string): Promise<{ file: StoredFile; bytes: Buffer } | undefined>;
}

export async function openFileStore(directory: string, newId: () => string): Promise<FileStore> {
  const home = join(directory, 'files');
  await mkdir(home, { recursive: true, mode: 0o700 });
  return {
    put: async (bytes, named) => {
      const file = { id: newId(), ...named, size: bytes.byteLength };
      await writeFile(join(home, file.id), bytes, { mode: 0o600 });
      await writeFile(join(home, `${file.id}.json`), JSON.stringify(file), { mode: 0o600 });
      return file;
    },
    get: async (id) => {
      if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
      const described = await readFile(join(home, `${id}.json`), 'utf8').catch(() => undefined);
      if (described === undefined) return undefined;
      return { file: JSON.parse(described) as StoredFile, bytes: await readFile(join(home, id)) };
    },
  };
}
