import { domainToUnicode } from 'node:url';
import { addressParser, type Mailbox } from 'postal-mime';
import { inUtf8Words } from './mime/encoded-words.rules.ts';

/** Everybody named, groups opened. */
export function mailboxesOf(values: readonly string[]): Mailbox[] {
  return values.flatMap(
    (value) => addressParser(inUtf8Words(value.slice(0, longestHeader)), { flatten: true }) as Mailbox[],
  );
}

const longestHeader = 64 * 1024;
const plausible = /^[^\s@<>()]+@[^\s@<>()]+$/u;

/** As addresses are compared: lower-case, its domain in its own script. Null for what is none. */
export function emailOf(address: string | undefined): string | null {
  const given = address?.normalize('NFC').trim().replace(/\.+$/, '') ?? '';
  if (!plausible.test(given)) return null;
  const at = given.lastIndexOf('@');
  const domain = given.slice(at + 1);
  return `${given.slice(0, at)}@${domainToUnicode(domain) || domain}`.toLowerCase();
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

const token = /\+([0-9a-f]{32})@/i;

/**
 * Our reply token, in whichever recipient's address it comes back (`office+TOKEN@example.com`), or as it was cut off
 * that.
 */
export function replyTokenOf(addresses: readonly string[], hash: string | undefined): string | null {
  for (const address of [...addresses, `+${hash}@`]) {
    const [, found] = token.exec(address) ?? [];
    if (found !== undefined) return found.toLowerCase();
  }
  return null;
}
