import { allValues, type Mail } from './mail.rules.ts';

const longest = 64 * 1024;

/** With their angle brackets, as they are compared. */
const idsIn = (values: readonly string[]): string[] =>
  values.flatMap((value) => value.slice(0, longest).match(/<[^<>\s]+>/g) ?? []);

export const messageIdOf = (mail: Mail): string | null => idsIn(allValues(mail, 'message-id'))[0] ?? null;

/** What it answers, the nearest first. */
export function answeredIdsOf(mail: Mail): string[] {
  const references = idsIn(allValues(mail, 'references')).reverse();
  return [...new Set([...idsIn(allValues(mail, 'in-reply-to')), ...references])];
}
