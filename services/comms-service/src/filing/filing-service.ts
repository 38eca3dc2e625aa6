import type { Trace } from '@ops/bus/trace';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import type { AnybodysRecord } from '../records/communication-events.ts';
import { announceChange } from '../records/record-service.ts';
import { insertAnswers, type Tied, tieToAnswered } from './answer-store.ts';
import { attachChanges, insertChanges, sumUpChanges } from './change-store.ts';
import type { Answer, MessageChange, WaitingMessage } from './filed.rules.ts';
import { announceFiled } from './filed-service.ts';
import { followDismissal, insertWaiting } from './linking-store.ts';

export { type Tied, tieToAnswered } from './answer-store.ts';
export { learnIdentifiers, lockKeys } from './identifier-store.ts';
export { carryOptOuts, heedOptOuts, mailedTo } from './opt-out-service.ts';

/** An inbound record that was just written, whoever brought it. */
export interface Arrived {
  record: AnybodysRecord;
  answers: readonly Answer[];
  /** The record as a message that waits, when nobody can say whose it is; else nothing. */
  waiting: readonly WaitingMessage[];
  /** Where several are handled together. */
  trace?: Trace | undefined;
}

/** Ties new records to what they answer and tells of them; gives back what they were tied to. */
export async function fileNew(deps: Deps, trx: Trx, arrived: readonly Arrived[]): Promise<Tied[]> {
  await insertAnswers(
    trx,
    arrived.flatMap(({ answers }) => answers),
  );
  const waiting = arrived.flatMap((one) => one.waiting);
  await insertWaiting(trx, waiting);
  await followDismissal(
    trx,
    waiting.map((one) => one.communication_id),
  );
  const tied = await tieToAnswered(
    trx,
    arrived.map(({ record }) => record.id),
  );
  const tieOf = new Map(tied.map((one) => [one.id, one]));
  const filed = arrived.map(({ record, trace }) => ({ ...record, ...tieOf.get(record.id), trace }));
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
