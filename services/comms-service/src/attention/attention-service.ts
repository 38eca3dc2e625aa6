import type { PlainDate } from '@ops/contracts/dates';
import type { NextRenewal } from '@ops/contracts/internal-routes';
import type { Attention, AttentionPage, AttentionQuery, PatchAttention } from '@ops/contracts/resources/attention';
import type { Actor } from '@ops/contracts/roles';
import { ownersToday, responsibleToday } from '@ops/following/agent-service';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound, unprocessable } from '@ops/service-kit/errors';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import type { Deps } from '../deps.ts';
import { attentionAt, reasonAgainstSnooze, type Snooze } from './attention.rules.ts';
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
  id: string,
  patch: PatchAttention,
): Promise<Attention> {
  const now = clock();
  const kept = await store.holdAttention(trx, id);
  if (!kept) throw notFound(`There is no customer ${id}`);
  if (patch.up_to !== undefined && !(await store.isInLog(trx, id, patch.up_to)))
    throw unprocessable([{ path: 'up_to', message: 'is not a communication of this customer' }]);
  if (patch.state === 'done') await store.setDone(trx, id, patch.up_to);
  else await snooze(trx, attentionAt(id, kept, now), patch, now);
  const attention = attentionAt(id, await store.findAttention(trx, id), now);
  await outbox.add(trx, { type: 'attention.changed', data: { ...attention, occurred_at: now.toISOString() } });
  return attention;
}

async function snooze(trx: Trx, { customer_id, state }: Attention, patch: Snooze, now: Date): Promise<void> {
  const reason = reasonAgainstSnooze(patch, now);
  if (reason !== undefined) throw unprocessable([{ path: 'until', message: reason }]);
  if (state === 'done') throw conflict('This customer waits for no answer');
  await store.setSnoozed(trx, customer_id, patch.until, patch.up_to);
}

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
