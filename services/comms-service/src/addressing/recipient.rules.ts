import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { keyOf } from '../filing/matching.rules.ts';

/** The addresses by which somebody wrote to us. */
export interface Writer {
  phone: string | null;
  email: string | null;
  user_id: string | null;
}

/** Whoever wrote what a message answers. */
export interface AnsweredWriter extends Writer {
  /** Where they want answers. It may be anybody's: only a person's answer goes there. */
  reply_to: string | null;
}

/** When somebody wrote last; by whom is not known of what no provider brought. */
export interface Written {
  at: string;
  writer: Writer | null;
}

export interface Recipient {
  to: string | null;
  /** The customer's id at the messaging app, for somebody without a phone. */
  user_id: string | null;
}

/** Where a message goes: to whoever wrote what it answers, if that is still the customer's; else to the first address. */
export function recipientOf(
  type: OutsideType,
  customer: Customer,
  writer: (Writer & Partial<AnsweredWriter>) | null,
): Recipient {
  const first = { to: customer[addresses[type]][0] ?? null };
  const user_id = customer.user_ids[0] ?? null;
  if (writer === null) return { ...first, user_id };
  if (type === 'EMAIL') return { to: writer.reply_to ?? ownEmail(customer, writer) ?? first.to, user_id };
  const to = ownPhone(customer, writer);
  const id = ownId(customer, writer);
  if (type === 'MESSAGING_APP' && (to ?? id) !== null) return { to, user_id: id };
  return { to: to ?? first.to, user_id };
}

/** The newest that the customer wrote themselves, and not somebody whose message lies in their log. */
export const newestOwn = (written: readonly Written[], customer: Customer): Written | undefined =>
  written.find(
    ({ writer }) => writer === null || ownPhone(customer, writer) !== null || ownId(customer, writer) !== null,
  );

/** The newest by whoever this goes to. */
export const newestFrom = (written: readonly Written[], { to, user_id }: Recipient): Written | undefined =>
  written.find(
    ({ writer }) =>
      writer === null ||
      (writer.phone !== null && to !== null && keyOfPhone(writer.phone) === keyOfPhone(to)) ||
      (writer.user_id !== null && writer.user_id === user_id),
  );

const addresses = { MESSAGING_APP: 'phones', SMS: 'phones', EMAIL: 'emails' } as const satisfies Record<
  OutsideType,
  keyof Customer
>;

const ownEmail = ({ emails }: Customer, { email }: Writer): string | undefined =>
  emails.find((one) => one === email?.normalize('NFC').trim().toLowerCase());

/** The writer's phone, if it is the customer's: as the provider wrote it, which may be another way than ours. */
const ownPhone = ({ phones }: Customer, { phone }: Writer): string | null =>
  phone !== null && phones.some((one) => keyOfPhone(one) === keyOfPhone(phone)) ? phone : null;

const ownId = ({ user_ids }: Customer, { user_id }: Writer): string | null =>
  user_ids.find((one) => one === user_id) ?? null;

const keyOfPhone = (value: string) => keyOf({ kind: 'phone', value });
