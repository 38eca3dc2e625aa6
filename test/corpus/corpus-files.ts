import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The folder of real payloads this run is given; the suite is there only when one is. */
const root = process.env.CORPUS_DIR ?? '';

export interface CorpusFile {
  /** As in `whatsapp/text.json`. */
  name: string;
  folder: string;
  bytes: Buffer;
  /** What the corpus says it means, in its INDEX.md. */
  meaning: string;
}

const index = existsSync(join(root, 'INDEX.md')) ? readFileSync(join(root, 'INDEX.md'), 'utf8') : '';

/** Key the corpus' own signatures of mails were made with. */
export const mailgunKey = /signing key "([^"]+)"/.exec(index)?.[1] ?? 'signing-key-of-this-test';

export const corpusFiles: CorpusFile[] = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'INDEX.md' && !entry.name.startsWith('.'))
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const folder = relative(root, entry.parentPath);
    return {
      name: join(folder, entry.name),
      folder,
      bytes: readFileSync(path),
      meaning: meaningOf(folder, entry.name),
    };
  })
  .sort((a, b) => (a.name < b.name ? -1 : 1));

export const filesIn = (folder: string, test: RegExp = /./): CorpusFile[] =>
  corpusFiles.filter((file) => file.folder === folder && test.test(file.name));

export const jsonOf = <T>({ bytes }: CorpusFile): T => JSON.parse(bytes.toString('utf8')) as T;

/** A row of the folder's table, or what is said of the folder as a whole. */
function meaningOf(folder: string, name: string): string {
  const section = index.split(/^## /m).find((text) => text.startsWith(`${folder}\n`)) ?? '';
  const row = section.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  const [, , meaning = ''] = row?.split(/(?<!\\)\|/) ?? [];
  return meaning.trim() || (/`expected\.json`[^.]*/.exec(section)?.[0] ?? '');
}

interface Challenge {
  ok?: { hub_verify_token?: string };
}

/** The token its challenges are asked with. */
export const verifyToken =
  filesIn('whatsapp', /challenge/)
    .map((file) => jsonOf<Challenge>(file).ok?.hub_verify_token)
    .find((token) => token !== undefined) ?? 'verify-token-of-this-test';
