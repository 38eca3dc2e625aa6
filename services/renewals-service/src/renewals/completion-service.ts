import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { CompletedRenewal, CompleteRenewal, Renewal } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';
import { notFound, unprocessable } from '@ops/service-kit/errors';
import { clearFlag, restoreFlag } from '../compliance/flag-service.ts';
import type { Deps } from '../deps.ts';
import { firedSince, recordedRungs, takeUpAgain } from './ledger-store.ts';
import { close, following, reopen, type StoredRenewal, writtenUnder } from './renewal.rules.ts';
import { announce, renewalCompleted } from './renewal-events.ts';
import { changeBy, refuseTwin, show, takeRenewal } from './renewal-service.ts';
import * as store from './renewal-store.ts';
import { isSilent, silentThrough } from './rungs.rules.ts';
import type { Anchored } from './terms.rules.ts';
import { watchExpiry } from './watch-service.ts';

export async function completeRenewal(
  deps: Deps,
  trx: Trx,
  id: string,
  input: CompleteRenewal,
  ifMatch: string | undefined,
): Promise<CompletedRenewal> {
  const stored = await takeWithFollowers(trx, id);
  const now = deps.now();
  const change = changeBy(close(stored, 'COMPLETED', now), stored, ifMatch);
  if (!change) return answer(deps, trx, stored, await successorOf(trx, stored));
  const foreseen = following(stored, input, await store.monthsOf(trx, stored.service_type), deps.today());
  if ('problem' in foreseen) throw unprocessable([foreseen.problem]);
  const link = foreseen.next && (await linkNext(deps, trx, stored, foreseen.next, input.next_due_date));
  const completed = await store.changeRenewal(trx, stored.id, { ...change, ...link?.columns }, now);
  await clearFlag(trx, stored.id, 'completed', now);
  const next = link?.next ?? null;
  await announce(deps, trx, 'completed', [completed], [stored]);
  await deps.outbox.add(trx, renewalCompleted(completed, next));
  return answer(deps, trx, completed, next);
}

const answer = async (
  deps: Deps,
  trx: Trx,
  renewal: StoredRenewal,
  next: StoredRenewal | null,
): Promise<CompletedRenewal> => ({
  renewal: await show(deps, trx, renewal),
  next_renewal: next && (await show(deps, trx, next)),
});

/** Nobody else makes or looks for a renewal of that customer and service type meanwhile, nor changes one of them. */
async function takeWithFollowers(trx: Trx, id: string): Promise<StoredRenewal> {
  if (!(await store.lockWatchOf(trx, id))) throw notFound(`There is no renewal ${id}`);
  await store.lockFamily(trx, id);
  return takeRenewal(trx, id);
}

const successorOf = async (trx: Trx, { successor_id }: StoredRenewal): Promise<StoredRenewal | null> =>
  (successor_id === null ? undefined : await store.findRenewal(trx, successor_id)) ?? null;

/** The next one there is, or a new one; a date that was asked for is watched whatever else is. */
async function linkNext(deps: Deps, trx: Trx, stored: StoredRenewal, due: Anchored, asked: PlainDate | undefined) {
  const later = await store.findLater(trx, stored, asked);
  const next = later ? await adopt(deps, trx, stored, later) : await makeNext(deps, trx, stored, due);
  const columns = { successor_id: next.id, successor_version: next.version, successor_made: !later };
  return { next, columns };
}

/** The customer is not written to of what was renewed a moment ago, however near the next date is. */
async function makeNext(deps: Deps, trx: Trx, stored: StoredRenewal, due: Anchored): Promise<StoredRenewal> {
  const { id, service_type, policy_id, assigned_agent, reminders } = stored;
  const customer_id = writtenUnder(stored);
  const silent_through = silentThrough(daysBetween(deps.today(), due.due_date));
  const same = { customer_id, service_type, policy_id, assigned_agent, reminders, notes: null };
  const [made] = await watchExpiry(deps, trx, [{ ...same, ...due, predecessor_id: id, silent_through }]);
  return made as StoredRenewal;
}

/** Two that were watched twice may lead to the same next one, which then comes after the first of them. */
async function adopt(deps: Deps, trx: Trx, stored: StoredRenewal, later: StoredRenewal): Promise<StoredRenewal> {
  if (later.predecessor_id !== null) return later;
  const linked = await store.changeRenewal(trx, later.id, { predecessor_id: stored.id }, deps.now());
  await announce(deps, trx, 'changed', [linked], [later]);
  return linked;
}

export async function reopenRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeWithFollowers(trx, id);
  const successor = await successorOf(trx, stored);
  if (stored.silenced) await takeUpAgain(trx, [stored.id]);
  const recorded = await recordedRungs(trx, stored.id, stored.due_date);
  const successorTouched = successor !== null && (await isTouched(trx, stored, successor));
  const now = deps.now();
  const before = { successorTouched, recorded, today: deps.today() };
  const change = changeBy(reopen(stored, before, now), stored, ifMatch);
  if (!change) return show(deps, trx, stored);
  await refuseTwin(trx, stored, id);
  if (stored.closed_from === 'OVERDUE') await restoreFlag(trx, stored);
  const reopened = await store.changeRenewal(trx, stored.id, change, now);
  await announce(deps, trx, 'reopened', [reopened], [stored]);
  if (successor) await letGo(deps, trx, stored, successor);
  return show(deps, trx, reopened);
}

async function isTouched(trx: Trx, stored: StoredRenewal, successor: StoredRenewal): Promise<boolean> {
  if (successor.version !== stored.successor_version) return true;
  if (stored.closed_at === null) return false;
  // One that fired silently, the customer has not heard of; its task goes with what is cancelled.
  const fired = await firedSince(trx, successor.id, stored.closed_at);
  return fired.some((rung) => !isSilent(rung, successor.silent_through));
}

/**
 * Another one that leads to it goes before it from now on. Without one, what completing made is cancelled, and what was
 * there before only loses its predecessor.
 */
async function letGo(deps: Deps, trx: Trx, stored: StoredRenewal, successor: StoredRenewal): Promise<void> {
  const other = await store.findLeadingTo(trx, successor.id);
  const made = stored.successor_made === true;
  const relinked = successor.predecessor_id === stored.id ? { predecessor_id: other ?? null } : undefined;
  const step = made && other === undefined ? close(successor, 'CANCELLED', deps.now()) : 'same';
  const closing = step !== 'same' && 'change' in step ? step.change : undefined;
  if (!relinked && !closing) return;
  const left = await store.changeRenewal(trx, successor.id, { ...relinked, ...closing }, deps.now());
  await store.handOver(trx, successor, left, made);
  await announce(deps, trx, closing ? 'cancelled' : 'changed', [left], [successor]);
}
