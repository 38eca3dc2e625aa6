import type { Customer, CustomerDetail } from '@ops/contracts/resources/customer';
import type { Db, Trx } from '@ops/service-kit/database';
import { aliasesOf } from '../aliases/alias-service.ts';
import { waitingOf } from '../attention/attention-service.ts';
import { placeSender } from '../filing/matching.rules.ts';
import { identifierAt } from '../filing/opt-out.rules.ts';
import { holdersFor } from '../filing/placing-service.ts';
import { type Outgoing, WINDOW_MS, windowOpenUntil } from '../records/communication-events.ts';
import { writerOf, writtenSince } from './addressing-store.ts';
import {
  type AnsweredWriter,
  newestFrom,
  newestOwn,
  type Recipient,
  recipientOf,
  type Writer,
  type Written,
} from './recipient.rules.ts';

export interface Addressee extends Recipient {
  window_open_until: string | null;
}

/** What decides where a record goes. */
export type Addressed = Pick<Outgoing, 'type' | 'in_reply_to' | 'automated'>;

/** The id under which the customer has the address that this goes to: an alias's is written to as theirs. */
export async function idAddressed(trx: Trx, record: Addressed, customer: Customer, now: Date): Promise<string> {
  const { id: home } = customer;
  const { to, user_id } = await addresseeOf(trx, record, customer, now);
  const address = to ?? user_id;
  if (address === null) return home;
  const identifiers = identifierAt(record.type, address);
  const placement = placeSender(identifiers, await holdersFor(trx, [{ identifiers, becomes: [] }]));
  return placement.customer === home ? placement.under : home;
}

/**
 * Where this record goes now, and whether the messaging app takes free text for them. What answers nothing goes to
 * whoever wrote last by that app, as long as their window is open: it may be shut for the customer's other numbers.
 */
async function addresseeOf(db: Db | Trx, record: Addressed, customer: Customer, now: Date): Promise<Addressee> {
  const answered = record.in_reply_to === null ? null : await writerOf(db, customer.id, record.in_reply_to);
  if (record.type === 'MESSAGING_APP') return byMessagingApp(db, customer, answered, now);
  return withoutWindow(record, customer, answered);
}

function withoutWindow({ type, automated }: Addressed, customer: Customer, answered: AnsweredWriter | null): Addressee {
  const writer = answered && { ...answered, reply_to: automated ? null : answered.reply_to };
  return { ...recipientOf(type, customer, writer), window_open_until: null };
}

/** The same of many, by their ids. What answers something, as few of many at once do, is looked at by itself. */
export async function addresseesOf(
  db: Db | Trx,
  records: readonly (Addressed & { id: string; customer_id: string })[],
  customers: ReadonlyMap<string, Customer>,
  now: Date,
): Promise<Map<string, Addressee>> {
  const ofKnown = records.flatMap((record) => {
    const customer = customers.get(record.customer_id);
    return customer ? [{ record, customer }] : [];
  });
  const [first, answers] = [ofKnown.filter(answersNothing), ofKnown.filter((one) => !answersNothing(one))];
  const windows = first.filter(({ record }) => record.type === 'MESSAGING_APP').map(({ customer }) => customer.id);
  const written = await writtenSince(db, windows, windowsOpenSince(now));
  const addressees = new Map<string, Addressee>();
  for (const { record, customer } of first) {
    const own = written.get(customer.id) ?? [];
    const addressee =
      record.type === 'MESSAGING_APP' ? withWindowOf(own, customer, null, now) : withoutWindow(record, customer, null);
    addressees.set(record.id, addressee);
  }
  for (const { record, customer } of answers) addressees.set(record.id, await addresseeOf(db, record, customer, now));
  return addressees;
}

const answersNothing = ({ record }: { record: Addressed }): boolean => record.in_reply_to === null;

const windowsOpenSince = (now: Date): Date => new Date(now.getTime() - WINDOW_MS);

/** The customer, who else they were taken to be, whether they wait for an answer, and until when free text by the messaging app reaches whom it would go to. */
export async function withWindow(db: Db | Trx, customer: Customer, now: Date): Promise<CustomerDetail> {
  const { window_open_until } = await byMessagingApp(db, customer, null, now);
  const merged_from = await aliasesOf(db, customer.id);
  return { ...customer, ...(await waitingOf(db, customer.id, now)), window_open_until, merged_from };
}

async function byMessagingApp(
  db: Db | Trx,
  customer: Customer,
  answered: Writer | null,
  now: Date,
): Promise<Addressee> {
  const written = await writtenSince(db, [customer.id], windowsOpenSince(now));
  return withWindowOf(written.get(customer.id) ?? [], customer, answered, now);
}

function withWindowOf(written: readonly Written[], customer: Customer, answered: Writer | null, now: Date): Addressee {
  const recipient = recipientOf('MESSAGING_APP', customer, answered ?? newestOwn(written, customer)?.writer ?? null);
  return { ...recipient, window_open_until: windowOpenUntil(newestFrom(written, recipient)?.at ?? null, now) };
}
