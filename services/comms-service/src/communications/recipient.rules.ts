import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { keyOf } from '../filing/matching.rules.ts';

/** By which somebody wrote to us. */
export interface Writer {
  phone: string | null;
  email: string | null;
  user_id: string | null;
}

export interface Recipient {
  to: string | null;
  /** Of the messaging app, for somebody without a phone. */
  user_id: string | null;
}

/** Where a message goes: to whoever wrote what it answers, if that is still the customer's; else to the first address. */
export function recipientOf(type: OutsideType, customer: Customer, writer: Writer | null): Recipient {
  const first = { to: (type === 'EMAIL' ? customer.emails[0] : customer.phones[0]) ?? null };
  const user_id = customer.user_ids[0] ?? null;
  if (writer === null) return { ...first, user_id };
  if (type === 'EMAIL') return { to: ownEmail(customer, writer) ?? first.to, user_id };
  const to = ownPhone(customer, writer);
  const ownId = customer.user_ids.find((one) => one === writer.user_id) ?? null;
  if (type === 'MESSAGING_APP' && (to ?? ownId) !== null) return { to, user_id: ownId };
  return { to: to ?? first.to, user_id };
}

const ownEmail = ({ emails }: Customer, { email }: Writer): string | undefined =>
  emails.find((one) => one === email?.normalize('NFC').trim().toLowerCase());

/** As its provider wrote it, which may be another way than ours. */
const ownPhone = ({ phones }: Customer, { phone }: Writer): string | null =>
  phone !== null && phones.some((one) => keyOfPhone(one) === keyOfPhone(phone)) ? phone : null;

const keyOfPhone = (value: string) => keyOf({ kind: 'phone', value });
