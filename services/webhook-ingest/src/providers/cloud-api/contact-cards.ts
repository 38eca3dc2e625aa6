import { type Fields, fields, list, text } from '../untrusted.ts';

/** Contacts somebody passed on, a line each. They say nothing about who sent them. */
export const cards = (contacts: readonly unknown[]): string[] => contacts.map((contact) => card(fields(contact)));

function card(contact: Fields): string {
  const vcard = text(contact.vcard) ?? '';
  const name = text(fields(contact.name).formatted_name) ?? vcardValue(vcard, 'FN') ?? 'somebody';
  const phones = each(contact.phones, 'phone');
  const emails = each(contact.emails, 'email');
  const numbers = phones.length > 0 ? phones : [vcardValue(vcard, 'TEL')].filter((phone) => phone !== undefined);
  return [`Contact: ${name}`, ...numbers, ...emails].join(', ');
}

const each = (given: unknown, name: string): string[] => list(given).flatMap((one) => text(fields(one)[name]) ?? []);

/** The first line of that property, whatever its parameters. */
function vcardValue(vcard: string, property: string): string | undefined {
  const line = vcard.split(/\r?\n/).find((candidate) => new RegExp(`^${property}[;:]`, 'i').test(candidate));
  return line === undefined ? undefined : text(line.slice(line.indexOf(':') + 1));
}
