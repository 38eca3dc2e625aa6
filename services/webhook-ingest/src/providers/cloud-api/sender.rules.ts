import { phoneOf, userIdOf } from '../person.rules.ts';
import type { MessageData } from '../provider.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';

type Sender = MessageData['sender'];

/**
 * The message says who sent it. `contacts` is only asked for a name, since it may speak of somebody else; and for the
 * sender where the message names none at all.
 */
export function senderOf(message: Fields, value: Fields): Sender {
  const contacts = list(value.contacts).map(fields);
  const from = text(message.from) ?? text(message.from_user_id);
  const named = contacts.find((contact) => from !== undefined && [contact.wa_id, contact.user_id].includes(from));
  const contact = named ?? (from === undefined ? contacts[0] : undefined) ?? {};
  const user_id = userIdOf(text(message.from_user_id)) ?? userIdOf(from) ?? userIdOf(text(contact.user_id));
  const phone = phoneOf(from ?? text(contact.wa_id));
  return {
    address: from ?? phone ?? user_id ?? 'unknown',
    phone,
    email: null,
    user_id,
    name: text(fields(contact.profile).name) ?? null,
    username: text(fields(contact.profile).username) ?? null,
  };
}

/** Somebody without phone and id is nobody twice: each such message stands alone. */
export const senderKey = ({ phone, user_id, address }: Sender, externalId: string): string =>
  `MESSAGING_APP:${phone ?? user_id ?? (address === 'unknown' ? `unknown:${externalId}` : address)}`;
