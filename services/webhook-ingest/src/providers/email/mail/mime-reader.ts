import { decoded } from '../charset.rules.ts';
import type { Mail, MailFile } from './mail.rules.ts';
import { subjectIn } from './mime/encoded-words.rules.ts';
import { bytesOf, type Structured, structured, textOf, wordOf } from './mime/fields.rules.ts';
import { unfolded } from './mime/flowed.rules.ts';
import { fieldIn, type MimePart, partsOf } from './mime/parts.rules.ts';
import { sentBytes } from './mime/transfer.rules.ts';
import { readableText } from './readable-text.rules.ts';

/** Rejects what goes beyond reason. Mails within a mail stay files: they were written by somebody else. */
export async function parseMime(bytes: Uint8Array): Promise<Mail> {
  const root = partsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const charset = charsetIn(root);
  const headers = root.fields.map(({ key, value }) => ({ key, value: decoded(bytesOf(value), undefined, charset) }));
  const found: Found = { charset, written: new Map(), files: [] };
  gather(root, { stands: true, alternative: undefined }, found);
  return {
    headers,
    subject: subjectIn(headers),
    ...wordsOf([...found.written.values()]),
    files: found.files,
  };
}

/** What one thing says, in text and in HTML. */
interface Written {
  plain: string[];
  html: string[];
}

interface Found {
  /** The charset of the first text that names one: whoever wrote it may have written the headers in it too. */
  charset: string | undefined;
  written: Map<MimePart, Written>;
  files: MailFile[];
}

/** Where a part stands: as the mail itself, or as one of the ways to say the same. */
interface Place {
  stands: boolean;
  alternative: MimePart | undefined;
}

function charsetIn({ type, parts }: MimePart): string | undefined {
  if (type.value.startsWith('text/')) return wordOf(type, 'charset');
  for (const part of parts) {
    const charset = charsetIn(part);
    if (charset !== undefined) return charset;
  }
  return undefined;
}

function gather(part: MimePart, { stands, alternative }: Place, found: Found): void {
  if (part.parts.length > 0) {
    const within = part.type.value === 'multipart/alternative' ? part : alternative;
    for (const [index, child] of part.parts.entries())
      gather(child, { stands: within === part || (isRelated(part) && index === 0), alternative: within }, found);
    return;
  }
  if (!isWritten(part, stands || found.written.size === 0, stands)) {
    found.files.push(fileOf(part, found.charset));
    return;
  }
  const written = found.written.get(alternative ?? part) ?? { plain: [], html: [] };
  found.written.set(alternative ?? part, written);
  written[part.type.value === 'text/html' ? 'html' : 'plain'].push(textIn(part));
}

const isRelated = ({ type }: MimePart): boolean => type.value === 'multipart/related';

/** Text that bears a name is a file, unless it is where the words of a mail stand; some programs name those too. */
function isWritten({ fields, type }: MimePart, mayBeNamed: boolean, mayBeFiled: boolean): boolean {
  const disposition = structured(fieldIn(fields, 'content-disposition') ?? '');
  const isText = ['text/plain', 'text/html'].includes(type.value) || type.value.startsWith('multipart/');
  if (!isText || disposition.value === 'attachment') return false;
  return (mayBeNamed || !isNamed(type, 'name')) && (mayBeFiled || !isNamed(disposition, 'filename'));
}

const isNamed = ({ parameters }: Structured, name: string): boolean =>
  [...parameters.keys()].some((key) => key === name || key.startsWith(`${name}*`));

const contentOf = ({ fields, travelled }: MimePart): Buffer =>
  sentBytes(travelled, fieldIn(fields, 'content-transfer-encoding') ?? '');

function textIn(part: MimePart): string {
  const bytes = contentOf(part);
  const hint = part.type.value === 'text/html' ? charsetOfHtml(bytes) : undefined;
  const text = decoded(bytes, wordOf(part.type, 'charset'), hint).replace(/\r\n/g, '\n');
  if (wordOf(part.type, 'format')?.toLowerCase() !== 'flowed') return text;
  return unfolded(text, wordOf(part.type, 'delsp')?.toLowerCase() === 'yes');
}

const charsetOfHtml = (bytes: Buffer): string | undefined =>
  /<meta\b[^>]{0,200}\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(bytes.toString('latin1', 0, 8 * 1024))?.[1];

function fileOf(part: MimePart, charset: string | undefined): MailFile {
  const { fields, type } = part;
  const disposition = structured(fieldIn(fields, 'content-disposition') ?? '');
  const contentId = fieldIn(fields, 'content-id')?.replace(/^<|>$/g, '');
  const name = textOf(disposition, 'filename', charset) || textOf(type, 'name', charset) || placeOf(part);
  return {
    name: name ?? nameless[type.value] ?? null,
    mediaType: type.value,
    contentId: contentId ?? null,
    bytes: contentOf(part),
  };
}

/** Files of a web page bear the place they are from. */
function placeOf({ fields }: MimePart): string | undefined {
  const [path = ''] = fieldIn(fields, 'content-location')?.split(/[?#]/, 1) ?? [];
  const last = path.slice(path.lastIndexOf('/') + 1).trim();
  return (
    decoded(bytesOf(last.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))))) ||
    undefined
  );
}

/** What mail programs leave without a name. */
const nameless: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'text/calendar': 'invitation.ics',
  'message/delivery-status': 'delivery-status.txt',
  'text/rfc822-headers': 'headers.txt',
};

/** Each thing that is written, in order: as text, and as HTML if any of it is. */
function wordsOf(written: readonly Written[]): Pick<Mail, 'text' | 'html'> {
  const all = written.map(({ plain, html }) => ({ plain: lines(plain), html: lines(html) }));
  const text = lines(all.flatMap(({ plain, html }) => readableText(plain, html) ?? []));
  if (all.every(({ html }) => html === null)) return { text, html: null };
  return { text, html: lines(all.flatMap(({ plain, html }) => html ?? (plain === null ? [] : asHtml(plain)))) };
}

function lines(texts: readonly string[]): string | null {
  const text = texts.join('\n');
  return text.trim() === '' ? null : text;
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>\n' };
const asHtml = (text: string): string => `<div>${text.replace(/[&<>\n]/g, (mark) => marks[mark] ?? mark)}</div>`;
