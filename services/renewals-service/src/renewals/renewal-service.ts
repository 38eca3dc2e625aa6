import type { RenewalStanding } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import { type HandedOver, type HandOver, mostHandedOver } from '@ops/contracts/resources/hand-over';
import type {
  AssignmentOutcomes,
  AssignRenewals,
  CancelRenewal,
  CreateRenewal,
  PatchRenewal,
  Renewal,
} from '@ops/contracts/resources/renewal';
import { refuseUnknown, responsibleToday } from '@ops/following/agent-service';
import { describe, heldLead } from '@ops/following/merge-service';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound, ProblemError } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import { unavailableWithout } from '@ops/service-kit/internal-client';
import { clearFlag } from '../compliance/flag-service.ts';
import type { Deps } from '../deps.ts';
import { followMerges } from './merged-customer-service.ts';
import {
  close,
  isClosed,
  type RenewalChange,
  type Step,
  type StoredRenewal,
  shown,
  start,
  toRenewal,
} from './renewal.rules.ts';
import { announce } from './renewal-events.ts';
import * as store from './renewal-store.ts';
import { changeWatched, watchExpiry } from './watch-service.ts';

export async function createRenewal(deps: Deps, trx: Trx, customerId: string, input: CreateRenewal): Promise<Renewal> {
  await requireCustomer(deps, trx, customerId);
  await refuseUnknown(deps, trx, input.assigned_agent, null);
  const { service_type, due_date, policy_id = null, notes = null, assigned_agent = null } = input;
  const wanted = { customer_id: customerId, service_type, due_date, policy_id, notes, assigned_agent };
  const customer_id = await heldLead(trx, customerId);
  await store.lockWatch(trx, customer_id, service_type);
  await refuseTwin(trx, { ...wanted, customer_id }, null);
  const [made] = await watchExpiry(deps, trx, [wanted]);
  return show(deps, trx, made as StoredRenewal);
}

/** With who deals with it today. */
export const show = async (deps: Deps, db: Db | Trx, stored: StoredRenewal): Promise<Renewal> =>
  shown(stored, await responsibleToday(deps, db), deps.today());

/** comms-service alone knows who is a customer; while it is away nobody can say. */
async function requireCustomer(deps: Deps, trx: Trx, id: string): Promise<void> {
  const { cards, merges } = await describe(deps.customers, [id]).catch(unavailableWithout('Who is a customer'));
  if (!cards.has(id)) throw notFound(`There is no customer ${id}`);
  await followMerges(deps, trx, merges);
}

/** Two of one policy and day would tell the customer everything twice. Without a policy it may well be another one. */
export async function refuseTwin(trx: Trx, watch: store.Watch, besides: string | null): Promise<void> {
  const renewal_id = watch.policy_id === null ? undefined : await store.findTwin(trx, watch, besides);
  if (renewal_id === undefined) return;
  const detail = `Policy ${watch.policy_id} is watched for ${watch.due_date} already, by renewal ${renewal_id}`;
  throw new ProblemError(409, 'already_watched', { detail, about: { renewal_id } });
}

/** Holds a renewal against other changes until the transaction ends. */
export async function takeRenewal(trx: Trx, id: string): Promise<StoredRenewal> {
  const stored = await store.lockRenewal(trx, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  return stored;
}

/**
 * What a step changes; undefined when it was taken already, also by somebody whose answer was lost and who therefore
 * names a version that is gone.
 */
export function changeBy(
  step: Step,
  { version }: StoredRenewal,
  ifMatch: string | undefined,
): RenewalChange | undefined {
  if (step === 'same') return undefined;
  requireMatch(ifMatch, version);
  if ('refused' in step) throw conflict(step.refused);
  return step.change;
}

export async function patchRenewal(
  deps: Deps,
  trx: Trx,
  id: string,
  patch: PatchRenewal,
  ifMatch: string | undefined,
): Promise<Renewal> {
  if (patch.assigned_agent) {
    const known = await store.findRenewal(trx, id);
    await refuseUnknown(deps, trx, patch.assigned_agent, known?.assigned_agent);
  }
  const stored = await takeToPatch(trx, id, patch);
  requireMatch(ifMatch, stored.version);
  if (isClosed(stored.status)) throw conflict(`The renewal is ${stored.status}`);
  const { due_date = stored.due_date, policy_id = stored.policy_id } = patch;
  if (due_date !== stored.due_date || policy_id !== stored.policy_id)
    await refuseTwin(trx, { ...stored, due_date, policy_id }, id);
  const { reminders, ...others } = patch;
  const wish = { ...others, ...(reminders === undefined ? {} : { reminders: reminders === 'on' }) };
  return show(deps, trx, await changeWatched(deps, trx, stored, wish));
}

/** Where it may come onto another, nobody else makes or moves one of that customer and service type meanwhile. */
async function takeToPatch(trx: Trx, id: string, { due_date, policy_id }: PatchRenewal): Promise<StoredRenewal> {
  if (due_date !== undefined || policy_id !== undefined) await store.lockWatchOf(trx, id);
  return takeRenewal(trx, id);
}

export async function startRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeRenewal(trx, id);
  const now = deps.now();
  const change = changeBy(start(stored, now), stored, ifMatch);
  if (!change) return show(deps, trx, stored);
  const started = await store.changeRenewal(trx, stored.id, change, now);
  await announce(deps, trx, 'started', [started], [stored]);
  return show(deps, trx, started);
}

export async function cancelRenewal(
  deps: Deps,
  trx: Trx,
  id: string,
  { reason, note }: CancelRenewal,
  ifMatch: string | undefined,
): Promise<Renewal> {
  const stored = await takeRenewal(trx, id);
  const now = deps.now();
  const change = changeBy(close(stored, 'CANCELLED', now), stored, ifMatch);
  if (!change) return show(deps, trx, stored);
  const because = { cancel_reason: reason ?? null, cancel_note: note ?? null };
  const cancelled = await store.changeRenewal(trx, stored.id, { ...change, ...because }, now);
  await clearFlag(trx, stored.id, 'cancelled', now);
  await announce(deps, trx, 'cancelled', [cancelled], [stored]);
  return show(deps, trx, cancelled);
}

export async function standingOf(deps: Deps, db: Db, id: string): Promise<RenewalStanding> {
  const [standing] = await standingsOf(deps, db, [id]);
  if (!standing) throw notFound(`There is no renewal ${id}`);
  return standing;
}

/** Null: there is none. */
export async function standingsOf(deps: Deps, db: Db, ids: readonly string[]): Promise<(RenewalStanding | null)[]> {
  const today = deps.today();
  const found = new Map((await store.findRenewals(db, ids)).map((one) => [one.id, standingAs(one, today)]));
  return ids.map((id) => found.get(id.toLowerCase()) ?? null);
}

function standingAs(stored: StoredRenewal, today: string): RenewalStanding {
  const { customer_id, due_date, status, assigned_agent, reminders, hold, version } = toRenewal(stored, today);
  const { written_under } = stored;
  return { customer_id, written_under, due_date, status, assigned_agent, reminders, hold, version };
}

export async function historyOfRenewal(db: Db, id: string, query: HistoryQuery): Promise<Page<AuditEntry>> {
  const stored = await store.findRenewal(db, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  return historyOf(db, { kind: 'renewal', id: stored.id }, query);
}

type Outcome = AssignmentOutcomes['data'][number];

export async function assignRenewals(deps: Deps, trx: Trx, input: AssignRenewals): Promise<AssignmentOutcomes> {
  await refuseUnknown(deps, trx, input.assigned_agent, null);
  const ids = [...new Set(input.renewal_ids.map((id) => id.toLowerCase()))];
  const found = new Map((await store.lockRenewals(trx, ids)).map((one) => [one.id, one]));
  const data = ids.map((id): Outcome => ({ renewal_id: id, outcome: assignment(found.get(id), input.assigned_agent) }));
  const assigned = data.filter(({ outcome }) => outcome === 'assigned').map(({ renewal_id }) => renewal_id);
  if (assigned.length > 0) {
    const given = await store.assignAll(trx, assigned, input.assigned_agent, deps.now());
    await announce(deps, trx, 'changed', given, [...found.values()]);
  }
  return { data };
}

export async function handOverRenewals(
  deps: Deps,
  trx: Trx,
  { from, assigned_agent: to }: HandOver,
  dryRun = false,
): Promise<HandedOver> {
  if (dryRun) return { handed_over: 0, left: await store.countOfAgent(trx, from) };
  await refuseUnknown(deps, trx, to, null);
  const locked = await store.lockRenewals(trx, await store.idsOfAgent(trx, from, mostHandedOver));
  const theirs = locked.filter((one) => one.assigned_agent === from && !isClosed(one.status));
  if (theirs.length > 0) {
    const given = await store.assignAll(
      trx,
      theirs.map(({ id }) => id),
      to,
      deps.now(),
    );
    await announce(deps, trx, 'changed', given, theirs);
  }
  return { handed_over: theirs.length, left: await store.countOfAgent(trx, from) };
}

function assignment(stored: StoredRenewal | undefined, agent: string | null): Outcome['outcome'] {
  if (!stored) return 'not_found';
  if (isClosed(stored.status)) return 'closed';
  return stored.assigned_agent === agent ? 'unchanged' : 'assigned';
}
