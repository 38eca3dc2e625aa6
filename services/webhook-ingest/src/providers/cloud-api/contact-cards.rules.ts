import type { ContactCard } from '@ops/contracts/resources/communication';
import { fields, list, text } from '../untrusted.rules.ts';
import { readCard } from './vcard.rules.ts';

/** A contact somebody passed on, with all that is known of it. It says nothing about who sent it. */
export function cardOf(given: unknown): ContactCard {
  const contact = fields(given);
  const vcard = readCard(text(contact.vcard) ?? '');
  const either = (said: string[], property: string) => (said.length > 0 ? said : vcard(property));
  const org = fields(contact.org);
  const [name = null] = either(textsOf(fields(contact.name).formatted_name), 'FN');
  const organisation = [
    ...either(textsOf(org.company, org.department), 'ORG'),
    ...either(textsOf(org.title), 'TITLE'),
  ].join(', ');
  return {
    name,
    organisation: organisation || null,
    phones: either(each(contact.phones, 'phone'), 'TEL'),
    emails: either(each(contact.emails, 'email'), 'EMAIL'),
    addresses: either(list(contact.addresses).map(addressOf), 'ADR').filter((address) => address !== ''),
    websites: either(each(contact.urls, 'url'), 'URL'),
    birthday: either(textsOf(contact.birthday), 'BDAY').join(', ') || null,
  };
}

/** The same to read. */
export const linesOf = ({
  name,
  organisation,
  phones,
  emails,
  addresses,
  websites,
  birthday,
}: ContactCard): string[] => [
  `Contact: ${[...textsOf(name), ...phones, ...emails].join(', ') || 'somebody'}`,
  ...line('Organisation', textsOf(organisation)),
  ...addresses.flatMap((address) => line('Address', [address])),
  ...line('Web', websites),
  ...line('Birthday', textsOf(birthday)),
];

const line = (label: string, values: string[]): string[] =>
  values.length === 0 ? [] : [`${label}: ${values.join(', ')}`];

const textsOf = (...given: unknown[]): string[] => given.flatMap((one) => text(one) ?? []);

const each = (given: unknown, name: string): string[] => list(given).flatMap((one) => text(fields(one)[name]) ?? []);

function addressOf(given: unknown): string {
  const { street, city, state, zip, country } = fields(given);
  return textsOf(street, city, state, zip, country).join(', ');
}
