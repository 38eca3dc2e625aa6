import { daysBetween } from '@ops/contracts/dates';
import type { CompletedRenewal, CompleteRenewal, Renewal } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';
import { notFound, unprocessable } from '@ops/service-kit/errors';
import { reached } from '../alerts/rungs.ts';
import { clearFlag, restoreFlag } from '../compliance/flag-store.ts';
import type { Deps } from '../deps.ts';
import { firedSince, recordedRungs } from './ledger-store.ts';
import { close, following, reopen, type StoredRenewal, toRenewal } from './renewal.ts';
import { announce, renewalChanged, renewalCompleted } from './renewal-events.ts';
import { changeBy, takeRenewal } from './renewal-service.ts';
import * as store from './renewal-store.ts';
import type { Anchored } from './terms.ts';
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
  if (!change) return answer(stored, await successorOf(trx, stored));
  const foreseen = following(stored, input, await store.monthsOf(trx, stored.service_type), deps.today());
  if ('problem' in foreseen) throw unprocessable([foreseen.problem]);
  const link = foreseen.next && (await linkNext(deps, trx, stored, foreseen.next));
  const completed = await store.changeRenewal(trx, stored.id, { ...change, ...link?.columns }, now);
  await clearFlag(trx, stored.id, 'completed', now);
  const next = link?.next ?? null;
  await deps.outbox.addMany(trx, [renewalChanged(completed, 'completed'), renewalCompleted(completed, next)]);
  return answer(completed, next);
}

const answer = (renewal: StoredRenewal, next: StoredRenewal | null): CompletedRenewal => ({
  renewal: toRenewal(renewal),
  next_renewal: next && toRenewal(next),
});

/** Nobody else makes or looks for a renewal of that customer and service type meanwhile. */
async function takeWithFollowers(trx: Trx, id: string): Promise<StoredRenewal> {
  const known = await store.findRenewal(trx, id);
  if (!known) throw notFound(`There is no renewal ${id}`);
  await store.lockWatch(trx, known.customer_id, known.service_type);
  return takeRenewal(trx, id);
}

const successorOf = async (trx: Trx, { successor_id }: StoredRenewal): Promise<StoredRenewal | null> =>
  (successor_id === null ? undefined : await store.findRenewal(trx, successor_id)) ?? null;

/** The next one there is, or a new one. */
async function linkNext(deps: Deps, trx: Trx, stored: StoredRenewal, due: Anchored) {
  const laterId = await store.findLater(trx, stored);
  const next = laterId === undefined ? await makeNext(deps, trx, stored, due) : await adopt(deps, trx, stored, laterId);
  const columns = { successor_id: next.id, successor_version: next.version, successor_made: laterId === undefined };
  return { next, columns };
}

/** What its date has reached already has been dealt with: nobody is alerted of what was renewed a moment ago. */
async function makeNext(deps: Deps, trx: Trx, stored: StoredRenewal, due: Anchored): Promise<StoredRenewal> {
  const { id, customer_id, service_type, policy_id, assigned_agent, reminders } = stored;
  const superseded = reached(daysBetween(deps.today(), due.due_date));
  const same = { customer_id, service_type, policy_id, assigned_agent, reminders, notes: null };
  const [made] = await watchExpiry(deps, trx, [{ ...same, ...due, predecessor_id: id, superseded }]);
  return made as StoredRenewal;
}

/** Two that were watched twice may lead to the same next one, which then comes after the first of them. */
async function adopt(deps: Deps, trx: Trx, stored: StoredRenewal, laterId: string): Promise<StoredRenewal> {
  const later = (await store.lockRenewal(trx, laterId)) as StoredRenewal;
  if (later.predecessor_id !== null) return later;
  const linked = await store.changeRenewal(trx, laterId, { predecessor_id: stored.id }, deps.now());
  await announce(deps, trx, 'changed', [linked]);
  return linked;
}

export async function reopenRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeWithFollowers(trx, id);
  const successor = stored.successor_id === null ? undefined : await store.lockRenewal(trx, stored.successor_id);
  const recorded = await recordedRungs(trx, stored.id, stored.due_date);
  const successorTouched = successor !== undefined && (await isTouched(trx, stored, successor));
  const now = deps.now();
  const change = changeBy(reopen(stored, { successorTouched, recorded }, now), stored, ifMatch);
  if (!change) return toRenewal(stored);
  if (stored.closed_from === 'OVERDUE') await restoreFlag(trx, stored);
  const reopened = await store.changeRenewal(trx, stored.id, change, now);
  await announce(deps, trx, 'reopened', [reopened]);
  if (successor) await letGo(deps, trx, stored, successor);
  return toRenewal(reopened);
}

async function isTouched(trx: Trx, stored: StoredRenewal, successor: StoredRenewal): Promise<boolean> {
  if (successor.version !== stored.successor_version) return true;
  return stored.closed_at !== null && firedSince(trx, successor.id, stored.closed_at);
}

/** What completing made is cancelled; what was there before only loses its predecessor. */
async function letGo(deps: Deps, trx: Trx, stored: StoredRenewal, successor: StoredRenewal): Promise<void> {
  const unlinked = successor.predecessor_id === stored.id ? { predecessor_id: null } : undefined;
  const step = stored.successor_made ? close(successor, 'CANCELLED', deps.now()) : 'same';
  const closing = step !== 'same' && 'change' in step ? step.change : undefined;
  if (!unlinked && !closing) return;
  const left = await store.changeRenewal(trx, successor.id, { ...unlinked, ...closing }, deps.now());
  await announce(deps, trx, closing ? 'cancelled' : 'changed', [left]);
}
