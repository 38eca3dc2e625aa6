import type { RenewalStanding } from '@ops/contracts/internal-routes';
import type {
  AssignmentOutcomes,
  AssignRenewals,
  CreateRenewal,
  PatchRenewal,
  Renewal,
} from '@ops/contracts/resources/renewal';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound, unavailable } from '@ops/service-kit/errors';
import { requireMatch } from '@ops/service-kit/http-app';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { clearFlag } from '../compliance/flag-service.ts';
import type { Deps } from '../deps.ts';
import {
  close,
  isClosed,
  type RenewalChange,
  type Step,
  type StoredRenewal,
  start,
  toRenewal,
} from './renewal.rules.ts';
import { announce } from './renewal-events.ts';
import * as store from './renewal-store.ts';
import { changeWatched, watchExpiry } from './watch-service.ts';

export async function createRenewal(deps: Deps, trx: Trx, customerId: string, input: CreateRenewal): Promise<Renewal> {
  await requireCustomer(deps, customerId);
  const { service_type, due_date, policy_id = null, notes = null, assigned_agent = null } = input;
  const wanted = { customer_id: customerId, service_type, due_date, policy_id, notes, assigned_agent };
  const [made] = await watchExpiry(deps, trx, [{ ...wanted, superseded: [] }]);
  return toRenewal(made as StoredRenewal);
}

/** comms-service alone knows who is a customer; while it is away nobody can say. */
async function requireCustomer({ customers }: Deps, id: string): Promise<void> {
  const cards = await customers.cards([id]).catch((error: unknown) => {
    if (!(error instanceof InternalCallError)) throw error;
    throw unavailable('Who is a customer cannot be looked up at the moment', 5, error);
  });
  if (cards.length === 0) throw notFound(`There is no customer ${id}`);
}

/** Held against other changes until the end. */
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
  const stored = await takeRenewal(trx, id);
  requireMatch(ifMatch, stored.version);
  if (isClosed(stored.status)) throw conflict(`The renewal is ${stored.status}`);
  const { reminders, ...others } = patch;
  const wish = { ...others, ...(reminders === undefined ? {} : { reminders: reminders === 'on' }) };
  return toRenewal(await changeWatched(deps, trx, stored, wish));
}

export async function startRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeRenewal(trx, id);
  const now = deps.now();
  const change = changeBy(start(stored, now), stored, ifMatch);
  if (!change) return toRenewal(stored);
  const started = await store.changeRenewal(trx, stored.id, change, now);
  await announce(deps, trx, 'started', [started]);
  return toRenewal(started);
}

export async function cancelRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeRenewal(trx, id);
  const now = deps.now();
  const change = changeBy(close(stored, 'CANCELLED', now), stored, ifMatch);
  if (!change) return toRenewal(stored);
  const cancelled = await store.changeRenewal(trx, stored.id, change, now);
  await clearFlag(trx, stored.id, 'cancelled', now);
  await announce(deps, trx, 'cancelled', [cancelled]);
  return toRenewal(cancelled);
}

export async function standingOf(db: Db, id: string): Promise<RenewalStanding> {
  const stored = await store.findRenewal(db, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  const { customer_id, due_date, status, assigned_agent, reminders, version } = toRenewal(stored);
  return { customer_id, due_date, status, assigned_agent, reminders, version };
}

type Outcome = AssignmentOutcomes['data'][number];

export async function assignRenewals(deps: Deps, trx: Trx, input: AssignRenewals): Promise<AssignmentOutcomes> {
  const ids = [...new Set(input.renewal_ids.map((id) => id.toLowerCase()))];
  const found = new Map((await store.lockRenewals(trx, ids)).map((one) => [one.id, one]));
  const data = ids.map((id): Outcome => ({ renewal_id: id, outcome: assignment(found.get(id), input.assigned_agent) }));
  const assigned = data.filter(({ outcome }) => outcome === 'assigned').map(({ renewal_id }) => renewal_id);
  if (assigned.length > 0)
    await announce(deps, trx, 'changed', await store.assignAll(trx, assigned, input.assigned_agent, deps.now()));
  return { data };
}

function assignment(stored: StoredRenewal | undefined, agent: string | null): Outcome['outcome'] {
  if (!stored) return 'not_found';
  if (isClosed(stored.status)) return 'closed';
  return stored.assigned_agent === agent ? 'unchanged' : 'assigned';
}
