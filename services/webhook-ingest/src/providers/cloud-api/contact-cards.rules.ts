import { type Fields, fields, list, text } from '../untrusted.rules.ts';
import { readCard } from './vcard.rules.ts';

/** Contacts somebody passed on, with all that is known of them. They say nothing about who sent them. */
export const cards = (contacts: readonly unknown[]): string[] => contacts.flatMap((contact) => card(fields(contact)));

function card(contact: Fields): string[] {
  const vcard = readCard(text(contact.vcard) ?? '');
  const either = (given: string[], property: string) => (given.length > 0 ? given : vcard(property));
  const org = fields(contact.org);
  const name = either(textsOf(fields(contact.name).formatted_name), 'FN').slice(0, 1);
  const phones = either(each(contact.phones, 'phone'), 'TEL');
  const emails = either(each(contact.emails, 'email'), 'EMAIL');
  return [
    `Contact: ${[...name, ...phones, ...emails].join(', ') || 'somebody'}`,
    ...line('Organisation', [
      ...either(textsOf(org.company, org.department), 'ORG'),
      ...either(textsOf(org.title), 'TITLE'),
    ]),
    ...either(list(contact.addresses).map(addressOf), 'ADR').flatMap((address) => line('Address', [address])),
    ...line('Web', either(each(contact.urls, 'url'), 'URL')),
    ...line('Birthday', either(textsOf(contact.birthday), 'BDAY')),
  ];
}

function line(label: string, values: string[]): string[] {
  const said = values.filter((value) => value !== '');
  return said.length === 0 ? [] : [`${label}: ${said.join(', ')}`];
}

const textsOf = (...given: unknown[]): string[] => given.flatMap((one) => text(one) ?? []);

const each = (given: unknown, name: string): string[] => list(given).flatMap((one) => text(fields(one)[name]) ?? []);

function addressOf(given: unknown): string {
  const { street, city, state, zip, country } = fields(given);
  return textsOf(street, city, state, zip, country).join(', ');
}
