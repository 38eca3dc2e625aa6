import { inThread } from '../../thread-client.ts';
import type { Mail } from './mail.rules.ts';
import { parseMime } from './mime-reader.ts';

/** Up to here the worst that can be written takes a moment. */
const smallBytes = 128 * 1024;
const smallLines = 10_000;

/**
 * Reads a mail, or rejects one that is made to stop us: twenty million blank lines fill any memory, a hundred thousand
 * parts take many seconds.
 */
export const parseMail = (bytes: Uint8Array): Promise<Mail> =>
  isSmall(bytes) ? parseMime(bytes) : inThread(new URL('./parse-worker.ts', import.meta.url), bytes);

function isSmall(bytes: Uint8Array): boolean {
  if (bytes.length > smallBytes) return false;
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) lines++;
  return lines <= smallLines;
}
