import type { EventOf } from '@ops/contracts/events';
import type { Overtaking } from '@ops/contracts/internal-routes';
import type { Communication, FailedQuery, PatchCommunication } from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, ProblemError, unprocessable } from '@ops/service-kit/errors';
import { unavailableWithout } from '@ops/service-kit/internal-client';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { ofNobodyErased } from '../aliases/alias-service.ts';
import { announceQueuedAgain } from '../communications/announcing-service.ts';
import { refuseTooFar } from '../communications/communication-service.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import type { Deps } from '../deps.ts';
import { lockNames, resolveWaitingAnswers } from '../filing/answer-service.ts';
import { heedOptOuts } from '../filing/filing-service.ts';
import { identifierIn } from '../filing/opt-out.rules.ts';
import { announceChange, changeRecord, findRecord, lockPlaced, rememberChanges } from '../records/record-service.ts';
import {
  calledBack,
  changed,
  type DeliveryUpdate,
  hear,
  isOfAlert,
  isSame,
  looksSame,
  type Outcome,
  reasonAgainstChange,
  reasonAgainstRetry,
  reasonAgainstSettling,
  retried,
  settled,
  settling,
  unsubscribedBy,
  withoutDetail,
} from './delivery.rules.ts';
import * as store from './delivery-store.ts';

export interface DeliveryDeps extends Deps {
  /** Asked about the message of an alert before it is sent again; rejects with an InternalCallError. */
  overtaking(communicationId: string): Promise<Overtaking | null>;
}

/** What became of sends: each piece of news is kept, the record shows the strongest, and a change is told once. */
export async function takeDeliveryUpdates(
  deps: Deps,
  trx: Trx,
  heard: readonly EventOf<'delivery.updated'>[],
): Promise<void> {
  const told = await ofNobodyErased(trx, heard);
  const updates = told.map(({ data }) => data);
  const ids = updates.map((update) => update.communication_id);
  const types = await store.typesOf(trx, ids);
  const unsubscribed = updates.flatMap((update) => unsubscribedBy(update, types.get(update.communication_id)));
  await lockNames(
    trx,
    updates.map((update) => ({ ...update, type: types.get(update.communication_id) ?? '' })),
    unsubscribed.flatMap(({ address }) => identifierIn(address) ?? []),
  );
  const before = await store.lockTracked(trx, ids);
  const after = before.map((record) => updates.filter(isOf(record)).reduce(listen, record));
  requireAll(updates, before);
  const changed = after.filter((record, n) => !isSame(record, before[n] as store.TrackedRecord));
  if (changed.length > 0) await store.saveTracked(trx, changed);
  const named = changed.filter((record) => isNewlyNamed(record, before));
  await resolveWaitingAnswers(deps, trx, named);
  await rememberChanges(trx, updates.map(historyOf));
  const moved = changed.filter((record) => !before.some((one) => one.id === record.id && looksSame(record, one)));
  const causes = new Map(told.map((event) => [event.data.communication_id, event]));
  await announceChange(deps, trx, 'status', deps.now(), moved, causes);
  await announceCustomers(deps, trx, await heedOptOuts(trx, unsubscribed));
}

const isNewlyNamed = (record: store.TrackedRecord, before: readonly store.TrackedRecord[]) =>
  before.some((one) => one.id === record.id && one.provider_message_id !== record.provider_message_id);

const isOf = (record: store.TrackedRecord) => (update: DeliveryUpdate) => update.communication_id === record.id;

const listen = (record: store.TrackedRecord, update: DeliveryUpdate) => ({ ...record, ...hear(record, update) });

/** The record is written before anything can be sent, so one that is missing is no matter of time. */
function requireAll(updates: readonly DeliveryUpdate[], found: readonly store.TrackedRecord[]): void {
  const known = new Set(found.map(({ id }) => id));
  const missing = updates.find((update) => !known.has(update.communication_id));
  if (missing) throw new Error(`there is no communication ${missing.communication_id}`);
}

/** A history is kept for good: the address that wants no more stands with the opt-outs, a provider's words with the record. */
function historyOf({
  communication_id,
  customer_id: _,
  occurred_at: at,
  unsubscribed: __,
  ...details
}: DeliveryUpdate) {
  const failure = withoutDetail(details.failure);
  return { communication_id, change: 'delivery' as const, actor: null, at, details: { ...details, failure } };
}

export async function retryCommunication(
  deps: DeliveryDeps,
  trx: Trx,
  id: string,
  actor: Actor,
): Promise<Communication> {
  await refuseOvertaken(deps, trx, id);
  const record = await lockPlaced(trx, id);
  const reason = reasonAgainstRetry(record);
  if (reason !== undefined) throw conflict(reason);
  const again = await changeRecord(trx, id, retried(record));
  const at = deps.now();
  const details = { attempt: again.attempt, failure: withoutDetail(record.failure) };
  await rememberChanges(trx, [{ communication_id: id, change: 'retried', actor: actor.sub, at, details }]);
  await announceQueuedAgain(deps, trx, again, at);
  return again;
}

/** notifier, which alone knows, is asked before anything is locked. Without its answer nothing leaves. */
async function refuseOvertaken({ overtaking }: DeliveryDeps, trx: Trx, id: string): Promise<void> {
  const record = await findRecord(trx, id);
  if (!record || !isOfAlert(record) || reasonAgainstRetry(record) !== undefined) return;
  const overtaken = await overtaking(id).catch(unavailableWithout('Alerts'));
  if (!overtaken) return;
  const { message: detail, newest_alert } = overtaken;
  throw new ProblemError(409, 'overtaken', { detail, ...(newest_alert && { about: { newest_alert } }) });
}

/** It is asked for anew with the new words, and never goes out with the old ones as well. */
export async function changeWaiting(deps: Deps, trx: Trx, id: string, patch: PatchCommunication, actor: Actor) {
  const record = await lockChangeable(trx, id);
  if (patch.subject && record.type !== 'EMAIL')
    throw unprocessable([{ path: 'subject', message: 'is allowed on EMAIL only' }]);
  const at = deps.now();
  refuseTooFar(at, patch.send_after);
  const again = await changeRecord(trx, id, changed(record, patch, at));
  const { send_after: from, attempt } = record;
  const details = {
    fields: Object.keys(patch),
    attempt,
    ...(patch.send_after !== undefined && { from, to: again.send_after }),
  };
  await rememberChanges(trx, [{ communication_id: id, change: 'changed', actor: actor.sub, at, details }]);
  await announceQueuedAgain(deps, trx, again, at);
  return again;
}

/** Said twice it is done once. */
export async function callBack(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<Communication> {
  const record = await lockPlaced(trx, id);
  if (record.status === 'CANCELLED' && record.failure?.code === calledBack.failure.code) return record;
  await refuseLeaving(trx, record);
  const called = await changeRecord(trx, id, calledBack);
  const at = deps.now();
  const details = { attempt: record.attempt };
  await rememberChanges(trx, [{ communication_id: id, change: 'called_back', actor: actor.sub, at, details }]);
  await announceChange(deps, trx, 'status', at, [called]);
  return called;
}

async function lockChangeable(trx: Trx, id: string): Promise<Communication> {
  const record = await lockPlaced(trx, id);
  await refuseLeaving(trx, record);
  return record;
}

async function refuseLeaving(trx: Trx, record: Communication): Promise<void> {
  const reason = reasonAgainstChange(record, await store.isLeaving(trx, record.id));
  if (reason !== undefined) throw conflict(reason);
}

/** It stays FAILED, which is what became of it. Said again, what was said first stands. */
export async function settleOtherwise(deps: Deps, trx: Trx, id: string, note: string, actor: Actor) {
  const record = await lockPlaced(trx, id);
  const reason = reasonAgainstSettling(record);
  if (reason !== undefined) throw conflict(reason);
  if (record.settled !== null) return record;
  const at = deps.now();
  const after = await changeRecord(trx, id, { settled: { at: at.toISOString(), by: actor.sub, note } });
  const details = { attempt: record.attempt };
  await rememberChanges(trx, [{ communication_id: id, change: 'settled', actor: actor.sub, at, details }]);
  await announceChange(deps, trx, 'status', at, [after]);
  return after;
}

/** Settles what became of an uncertain send by what staff found out; said twice it is done once. */
export async function resolveCommunication(deps: Deps, trx: Trx, id: string, outcome: Outcome, actor: Actor) {
  const record = await lockPlaced(trx, id);
  const wanted = settled(outcome);
  if (record.direction === 'OUTBOUND' && record.status === wanted.status) return record;
  if (record.status !== 'UNCERTAIN')
    throw conflict(`Only an UNCERTAIN communication is settled; this one is ${record.status}`);
  const resolved = await changeRecord(trx, id, wanted);
  const at = deps.now();
  const details = { outcome, attempt: record.attempt };
  await rememberChanges(trx, [{ communication_id: id, change: 'resolved', actor: actor.sub, at, details }]);
  await announceChange(deps, trx, 'status', at, [resolved]);
  if (isOfAlert(resolved)) await deps.outbox.add(trx, { type: 'communication.settled', data: settling(resolved, at) });
  return resolved;
}

export async function listFailedCommunications(db: Db, query: FailedQuery) {
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const rows = await store.listFailed(db, query, after, query.limit + 1);
  return toPage(rows, query.limit, (record) => [record.occurred_at, record.id]);
}
