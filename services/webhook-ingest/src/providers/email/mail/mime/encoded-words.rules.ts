import { decoded } from '../../charset.rules.ts';
import { firstValue, type MailHeader } from '../mail.rules.ts';

const word = /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi;

/** The subject, where it stands among the headers. */
export function subjectIn(headers: MailHeader[]): string | null {
  const subject = firstValue({ headers }, 'subject');
  return subject === undefined ? null : decodeWords(subject);
}

/** What a header says: words in a charset of their own among others. */
export const decodeWords = (value: string): string => eachRun(value, (text) => text.replace(/[\r\n]+/g, ' '));

/** The same, where a reader comes after us that knows fewer charsets; what stands in a word stays out of its grammar. */
export const inUtf8Words = (value: string): string =>
  eachRun(value, (text) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`);

/** Words in one charset that follow each other are one: a letter may be cut between them. */
function eachRun(value: string, write: (text: string) => string): string {
  const written: string[] = [];
  let run: { charset: string; bytes: Buffer[] } | undefined;
  const end = () => {
    if (run) written.push(write(decoded(Buffer.concat(run.bytes), run.charset)));
    run = undefined;
  };
  let after = 0;
  for (const { 0: whole, 1: named = '', 2: encoding = '', 3: content = '', index } of value.matchAll(word)) {
    const between = value.slice(after, index);
    const [charset = ''] = named.split('*');
    const follows = run !== undefined && between.trim() === '';
    if (!follows || run?.charset !== charset) end();
    if (!follows) written.push(between);
    run ??= { charset, bytes: [] };
    run.bytes.push(encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : bytesOfQ(content));
    after = index + whole.length;
  }
  end();
  written.push(value.slice(after));
  return written.join('');
}

function bytesOfQ(content: string): Buffer {
  const binary = Buffer.from(content.replaceAll('_', ' ')).toString('latin1');
  return Buffer.from(
    binary.replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}
