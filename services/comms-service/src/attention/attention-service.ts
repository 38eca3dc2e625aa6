import type { PlainDate } from '@ops/contracts/dates';
import type { NextRenewal } from '@ops/contracts/internal-routes';
import type {
  Attention,
  AttentionChange,
  AttentionPage,
  AttentionQuery,
  PatchAttention,
} from '@ops/contracts/resources/attention';
import type { Actor } from '@ops/contracts/roles';
import { ownersToday, responsibleToday } from '@ops/following/agent-service';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, unprocessable } from '@ops/service-kit/errors';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { holdHome } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { attentionAt, reasonAgainstSnooze } from './attention.rules.ts';
import * as store from './attention-store.ts';

/** What other services are asked about those who wait; both reject with an InternalCallError. */
export interface Others {
  /** Of each of these customers the active renewal that is due first. */
  nextRenewals(customerIds: readonly string[]): Promise<NextRenewal[]>;
  /** By when the firm means to answer what was written then; in the order given. */
  answerBy(written: readonly string[]): Promise<string[]>;
}

export interface AttentionDeps extends Deps, Others {
  today: () => PlainDate;
}

export async function patchAttention(
  { outbox, now: clock }: Deps,
  trx: Trx,
  asked: string,
  patch: PatchAttention,
): Promise<AttentionChange> {
  const now = clock();
  const id = await holdHome(trx, asked);
  const kept = await store.holdAttention(trx, id);
  const change = { id, change: uuidv7() };
  const before = attentionAt(id, kept, now);
  const isChanged = await (patch.state === 'waiting'
    ? letWait(trx, change, before, patch.change_id)
    : letGo(trx, change, before, patch, now));
  const attention = attentionAt(id, await store.findAttention(trx, id), now);
  const subject = { kind: 'customer' as const, id, customer_id: id };
  await audit(trx, { subject, before: auditedOf(before), after: auditedOf(attention) });
  await outbox.add(trx, { type: 'attention.changed', data: { ...attention, occurred_at: now.toISOString() } });
  return { ...attention, change_id: isChanged ? change.change : null };
}

const auditedOf = ({ state, snoozed_until }: Attention) => ({ attention: state, snoozed_until });

/** Whether it can be taken back. */
async function letGo(
  trx: Trx,
  change: store.Change,
  before: Attention,
  patch: Exclude<PatchAttention, { state: 'waiting' }>,
  now: Date,
): Promise<boolean> {
  if (patch.up_to !== undefined && !(await store.isInLog(trx, change.id, patch.up_to)))
    throw unprocessable([{ path: 'up_to', message: 'is not a communication of this customer' }]);
  if (patch.state === 'done') return store.setDone(trx, change, patch.up_to);
  const reason = reasonAgainstSnooze(patch, now);
  if (reason !== undefined) throw unprocessable([{ path: 'until', message: reason }]);
  if (before.state === 'done') throw waitsForNothing();
  await store.setSnoozed(trx, change, patch.until, patch.up_to);
  return true;
}

/** Two customers are one from now on, or are not any more. What was written under each goes on to be done with under its id. */
export async function joinAttention(trx: Trx, alias: string, survivor: string, now: Date): Promise<void> {
  await store.holdRows(trx, [alias, survivor]);
  await store.joinSnoozes(trx, alias, survivor, now);
  await store.forgetChanges(trx, [alias, survivor]);
  await store.lookAgain(trx, [alias, survivor]);
}

export async function partAttention(trx: Trx, alias: string, survivor: string): Promise<void> {
  await store.holdRows(trx, [alias, survivor]);
  await store.partSnoozes(trx, alias, survivor);
  await store.forgetChanges(trx, [alias, survivor]);
  await store.lookAgain(trx, [alias, survivor]);
}

/** Whether it can be taken back. */
async function letWait(
  trx: Trx,
  change: store.Change,
  before: Attention,
  takenBack: string | undefined,
): Promise<boolean> {
  if (takenBack !== undefined) {
    if (!(await store.takeBack(trx, { ...change, change: takenBack })))
      throw conflict('Something else has been done about this customer since');
    return false;
  }
  if (before.state === 'done') throw waitsForNothing();
  if (before.state === 'snoozed') await store.setAwake(trx, change);
  return before.state === 'snoozed';
}

const waitsForNothing = () => conflict('This customer waits for no answer');

/** What a customer shows of it. */
export async function waitingOf(
  db: Db | Trx,
  id: string,
  now: Date,
): Promise<Pick<Attention, 'waiting_since' | 'snoozed_until'>> {
  const { waiting_since, snoozed_until } = attentionAt(id, await store.findAttention(db, id), now);
  return { waiting_since, snoozed_until };
}

export async function listAttention(
  deps: AttentionDeps,
  db: Db,
  { agent, cursor, limit, ...asked }: AttentionQuery,
  reader: Actor,
): Promise<AttentionPage> {
  const position = decodeCursor(cursor, ['instant', 'string']);
  const after = position && { waitingSince: position[0], customerId: position[1] };
  const owners = agent === undefined ? undefined : (await ownersToday(deps, db, namedBy(agent, reader))).open;
  const listed = await store.listWaiting(db, { ...asked, owners, now: deps.now(), after, limit: limit + 1 });
  const page = toPage(listed, limit, (row) => [row.waiting_since, row.customer_id]);
  const responsible = await responsibleToday(deps, db);
  const { next, answerBy } = await besides(deps, page.data);
  const nextOf = new Map(next?.map(({ customer_id, ...renewal }) => [customer_id, renewal]));
  const data = page.data.map((one, n) => ({
    ...one,
    answer_by: answerBy?.[n] ?? null,
    responsible_agent: responsible.open(one.assigned_agent),
    next_renewal: nextOf.get(one.customer_id) ?? null,
  }));
  const left_out = [...(next ? [] : ['next_renewal' as const]), ...(answerBy ? [] : ['answer_by' as const])];
  return { ...page, data, left_out };
}

async function besides(deps: AttentionDeps, listed: readonly store.ListedAttention[]) {
  if (listed.length === 0) return { next: [], answerBy: [] };
  const [next, answerBy] = await Promise.all([
    orLeftOut(deps.nextRenewals(listed.map(({ customer_id }) => customer_id))),
    orLeftOut(deps.answerBy(listed.map(({ waiting_since }) => waiting_since))),
  ]);
  return { next, answerBy };
}

/** Who answers customers needs the list more than what others know besides: what cannot be had is left out. */
async function orLeftOut<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof InternalCallError) return undefined;
    throw error;
  }
}

/** As whoever is responsible is asked for: empty is nobody. */
const namedBy = (agent: string, reader: Actor): string => ({ me: reader.sub, nobody: '' })[agent] ?? agent;
