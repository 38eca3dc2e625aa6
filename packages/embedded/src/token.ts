import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a running system tells those who may read its data directory. */
export const runFile = z.object({
  pid: z.int(),
  url: z.string(),
  issuer: z.string(),
  token_client: z.object({ id: z.string(), secret: z.string() }),
  processes: z.record(z.string(), z.int()),
  /** What each process was told, for who looks whether all is well; absent while an older version runs. */
  settings: z.record(z.string(), z.record(z.string(), z.string())).default({}),
});
export type RunFile = z.infer<typeof runFile>;

export const runFilePath = (dataDir: string): string => join(dataDir, 'run.json');

/** Undefined: nothing was started there, or it has ended in order. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  const path = runFilePath(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read (${error.code}): is it another user's?`);
  });
  try {
    return text === undefined ? undefined : runFile.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is damaged: if nothing runs on this folder any more, remove that file`);
  }
}

/** Whole or not at all, and for nobody else to read. */
export async function writeRunFile(dataDir: string, content: RunFile): Promise<void> {
  const partial = `${runFilePath(dataDir)}.${process.pid}`;
  await writeFile(partial, JSON.stringify(content, null, 2), { mode: 0o600 });
  await rename(partial, runFilePath(dataDir));
}
