import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The folder of payloads this run is given, or a few of our own. */
export const root = process.env.CORPUS_DIR || join(import.meta.dirname, 'samples');

export interface CorpusFile {
  /** As in `whatsapp/text.json`. */
  name: string;
  folder: string;
  /** Who would post it: what the folder says, else what it looks like. */
  kind: string;
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
    const bytes = readFileSync(path);
    const name = join(folder, entry.name);
    return { name, folder, kind: kindOf(name, bytes), bytes, meaning: meaningOf(folder, entry.name) };
  })
  .sort((a, b) => (a.name < b.name ? -1 : 1));

export const filesOf = (kind: string, named: RegExp = /./): CorpusFile[] =>
  corpusFiles.filter((file) => file.kind === kind && named.test(file.name));

export const jsonOf = <T>({ bytes }: CorpusFile): T => JSON.parse(bytes.toString('utf8')) as T;

function kindOf(name: string, bytes: Buffer): string {
  const named = /^(whatsapp|twilio|postmark|sendgrid|mailgun|email-reply|email|phone|jwt)\//.exec(name)?.[1];
  if (named !== undefined) return /signature/.test(name) ? `${named}/signature` : named;
  const text = bytes.subarray(0, 65_536).toString('latin1');
  if (/\.eml$/.test(name)) return 'email';
  if (/"whatsapp_business_account"/.test(text)) return 'whatsapp';
  if (/(?:^|&)(?:MessageSid|SmsSid)=/.test(text)) return 'twilio';
  if (/"(?:FromFull|MessageStream|RecordType)"/.test(text)) return 'postmark';
  if (/name="(?:envelope|SPF|spam_score)"/.test(text)) return 'sendgrid';
  return /(?:^|[&"])(?:body-plain|body-mime|message-headers)["=]/.test(text) ? 'mailgun' : 'unknown';
}

/** A row of the folder's table, or what is said of the folder as a whole. */
function meaningOf(folder: string, name: string): string {
  const section = index.split(/^## /m).find((text) => text.startsWith(`${folder}\n`)) ?? '';
  const row = section.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
  const [, , meaning = ''] = row?.split(/(?<!\\)\|/) ?? [];
  return meaning.trim() || (/`expected\.json`[^.]*/.exec(section)?.[0] ?? '');
}

interface Challenge {
  ok?: { hub_verify_token?: string };
}

/** The token its challenges are asked with. */
export const verifyToken =
  filesOf('whatsapp', /challenge/)
    .map((file) => jsonOf<Challenge>(file).ok?.hub_verify_token)
    .find((token) => token !== undefined) ?? 'verify-token-of-this-test';
