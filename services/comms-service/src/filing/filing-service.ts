import type { Envelope } from '@ops/contracts/envelope';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import type { AnybodysRecord } from '../records/communication-events.ts';
import { announceChange } from '../records/record-service.ts';
import { insertAnswers, type Tied, tieToAnswered } from './answer-store.ts';
import { attachChanges, insertChanges, sumUpChanges } from './change-store.ts';
import type { Answer, MessageChange, WaitingMessage } from './filed.rules.ts';
import { announceFiled } from './filed-service.ts';
import { insertWaiting } from './linking-store.ts';
import { optOutOf } from './opt-out.rules.ts';
import { insertOptOuts } from './opt-out-store.ts';

export { tieToAnswered } from './answer-store.ts';
export { learnIdentifiers, lockKeys } from './identifier-store.ts';
export { carryOptOuts } from './opt-out-store.ts';

/** An inbound record that was just written, whoever brought it. */
export interface Arrived {
  record: AnybodysRecord;
  answers: readonly Answer[];
  /** Itself, when nobody can say whose it is. */
  waiting: readonly WaitingMessage[];
  cause?: Envelope;
}

/** Ties them to what they answer and tells of them; gives back what they were tied to. */
export async function fileNew(deps: Deps, trx: Trx, arrived: readonly Arrived[]): Promise<Tied[]> {
  await insertAnswers(
    trx,
    arrived.flatMap(({ answers }) => answers),
  );
  await insertWaiting(
    trx,
    arrived.flatMap(({ waiting }) => waiting),
  );
  const tied = await tieToAnswered(
    trx,
    arrived.map(({ record }) => record.id),
  );
  const tieOf = new Map(tied.map((one) => [one.id, one]));
  const filed = arrived.map(({ record, cause }) => ({ ...record, ...tieOf.get(record.id), cause }));
  await announceFiled(deps, trx, 'created', deps.now(), filed);
  return tied;
}

/** Reactions and edits of the records that were just written and of earlier ones, and those that came before their message. */
export async function amend(
  deps: Deps,
  trx: Trx,
  changes: readonly MessageChange[],
  written: readonly string[],
): Promise<void> {
  await insertChanges(trx, changes);
  const records = await attachChanges(
    trx,
    changes.map(({ id }) => id),
    written,
  );
  if (records.length > 0) await announceChange(deps, trx, 'amended', deps.now(), await sumUpChanges(trx, records));
}

type Said = Pick<Communication, 'id' | 'type' | 'subject' | 'body' | 'occurred_at'> & {
  customer_id: string | null;
  automatic: boolean;
};

/** Whose wishes changed. */
export async function heedOptOuts(trx: Trx, said: readonly Said[]): Promise<string[]> {
  const decided = said.flatMap((record) => {
    const opted_out = optOutOf(record);
    const { id: communication_id, customer_id, type: channel, occurred_at: decided_at } = record;
    return opted_out === null ? [] : [{ communication_id, customer_id, channel, opted_out, decided_at }];
  });
  await insertOptOuts(trx, decided);
  return decided.flatMap(({ customer_id }) => customer_id ?? []);
}
