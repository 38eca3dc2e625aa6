import type { Customer } from '@ops/contracts/resources/customer';
import type { Db, Trx } from '@ops/service-kit/database';
import { type Outgoing, windowOpenUntil } from '../records/communication-events.ts';
import { newestWritten, writerOf } from './communication-store.ts';
import { type Recipient, recipientOf } from './recipient.rules.ts';

export interface Addressee extends Recipient {
  window_open_until: string | null;
}

/**
 * Where this record goes now, and whether the messaging app takes free text for them. What answers nothing goes to
 * whoever wrote last by that app, as long as their window is open: it may be shut for the customer's other numbers.
 */
export async function addresseeOf(db: Db | Trx, record: Outgoing, customer: Customer, now: Date): Promise<Addressee> {
  const answered = record.in_reply_to === null ? null : await writerOf(db, customer.id, record.in_reply_to);
  if (record.type !== 'MESSAGING_APP')
    return { ...recipientOf(record.type, customer, answered), window_open_until: null };
  const last = answered === null ? await newestWritten(db, customer.id, null) : null;
  const isOpen = windowOpenUntil(last?.at ?? null, now) !== null;
  const recipient = recipientOf(record.type, customer, answered ?? (isOpen ? (last?.writer ?? null) : null));
  const newest = await newestWritten(db, customer.id, recipient);
  return { ...recipient, window_open_until: windowOpenUntil(newest?.at ?? null, now) };
}
