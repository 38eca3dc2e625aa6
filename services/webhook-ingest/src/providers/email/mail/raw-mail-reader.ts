import type { Reading } from '../../provider.ts';
import type { Mail } from './mail.rules.ts';
import { parseMail } from './mail-reader.ts';
import { parseMime } from './mime-reader.ts';
import { type Arrival, readingOf, unreadable } from './reading.rules.ts';

/** A mail as it travelled. Never rejects: what cannot be read is still a message. */
export async function readRawMail(bytes: Uint8Array, arrival: Arrival): Promise<Reading> {
  const mail = await parseMail(bytes).catch(() => undefined);
  return mail ? readingOf(mail, arrival, bytes) : unreadable(arrival, await headOf(bytes), bytes);
}

const mostHead = 16 * 1024;

/** Who wrote and about what, if that much can be read. */
async function headOf(bytes: Uint8Array): Promise<Mail> {
  const head = Buffer.from(bytes.subarray(0, mostHead)).toString('latin1');
  const [lines = ''] = head.split(/\r?\n\r?\n/, 1);
  const whole = lines.slice(0, lines.length === mostHead ? lines.lastIndexOf('\n') : undefined);
  const nothing: Mail = { headers: [], subject: null, text: null, html: null, files: [] };
  return parseMime(Buffer.from(whole, 'latin1')).catch(() => nothing);
}
