import { BrokenEventError } from '@ops/bus/errors';
import { takeFresh } from '@ops/bus/inbox';
import { dayOfMonth } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { UpstreamEvent, UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import type { Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import type { Deps } from '../deps.ts';
import { isClosed, type StoredRenewal } from '../renewals/renewal.ts';
import { cancelRenewal } from '../renewals/renewal-service.ts';
import { findRenewal, lockRenewal, lockWatch } from '../renewals/renewal-store.ts';
import { changeWatched, watchExpiry } from '../renewals/watch-service.ts';
import { topology } from '../topology.ts';
import { agentBy, type Expiry, expiryOf } from './expiry.ts';
import * as store from './word-store.ts';

type Watched = Pick<UpstreamEventOutcome, 'outcome' | 'renewal_id'>;

/** What is wrong with an event is told to whoever looks at the dead letter it becomes. */
export async function takePublished(deps: Deps, trx: Trx, events: readonly Envelope[]): Promise<void> {
  for (const event of events) {
    const expiry = expiryOf(event, deps.now());
    if ('problems' in expiry)
      throw new BrokenEventError(expiry.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
    await takeExpiry(deps, trx, expiry);
  }
}

/** An event counts once, also when it came over the broker before, or comes so later. */
export async function takePosted(deps: Deps, trx: Trx, event: UpstreamEvent): Promise<UpstreamEventOutcome> {
  const expiry = expiryOf(event, deps.now());
  if ('problems' in expiry) throw unprocessable(expiry.problems);
  const [fresh] = await takeFresh(trx, topology.queues.upstream.name, [event]);
  const watched = fresh ? await takeExpiry(deps, trx, expiry) : await known(trx, expiry);
  return { event_id: event.id, ...watched };
}

async function known(trx: Trx, expiry: Expiry): Promise<Watched> {
  const word = await store.findWord(trx, expiry);
  return { outcome: 'unchanged', renewal_id: word?.renewal_id ?? null };
}

/**
 * Whether its customer is known does not matter: no date is dropped. The newest word about a policy or permit counts, in
 * whatever order and however often they come.
 */
export async function takeExpiry(deps: Deps, trx: Trx, expiry: Expiry): Promise<Watched> {
  await store.lockSource(trx, expiry);
  await lockWatch(trx, expiry.customer_id, expiry.service_type);
  const word = await store.findWord(trx, expiry);
  if (word && !word.is_older) return { outcome: 'ignored', renewal_id: word.renewal_id };
  const { watched, heldBy } = word ? await hearAgain(deps, trx, expiry, word) : await hearFirst(deps, trx, expiry);
  await store.saveWord(trx, expiry, heldBy);
  return watched;
}

/** What was done, and the renewal the next word is to begin at. */
interface Heard {
  watched: Watched;
  heldBy: string;
}

async function hearFirst(deps: Deps, trx: Trx, expiry: Expiry): Promise<Heard> {
  const id = await store.findAdoptable(trx, expiry);
  const adopted = id === undefined ? undefined : await lockRenewal(trx, id);
  if (!adopted) return create(deps, trx, expiry);
  const { policy_id, assigned_agent } = expiry;
  const agent = agentBy(assigned_agent, null, adopted.assigned_agent);
  await move(deps, trx, adopted, expiry, { assigned_agent: agent, policy_id: policy_id ?? undefined });
  return heard('adopted', adopted.id);
}

/**
 * One that is closed, or stands for another policy or permit by now, is left alone; but what ends later than that one is
 * a new term, and is watched.
 */
async function hearAgain(deps: Deps, trx: Trx, expiry: Expiry, word: store.Word): Promise<Heard> {
  const current = await currentOf(trx, word.renewal_id);
  if (!isSameHolder(current, expiry)) {
    if (!isClosed(current.status)) await cancelRenewal(deps, trx, current.id, undefined);
    return create(deps, trx, expiry);
  }
  if (isClosed(current.status) || !standsFor(current, expiry))
    return expiry.due_date > current.due_date
      ? create(deps, trx, expiry)
      : heard('ignored', current.id, word.renewal_id);
  const agent = agentBy(expiry.assigned_agent, word.assigned_agent, current.assigned_agent);
  const moved = await move(deps, trx, current, expiry, { assigned_agent: agent });
  return heard(moved.version === current.version ? 'unchanged' : 'moved', current.id, word.renewal_id);
}

const heard = (outcome: Watched['outcome'], renewal_id: string, heldBy = renewal_id): Heard => ({
  watched: { outcome, renewal_id },
  heldBy,
});

/**
 * The one it is about, or what followed that one, up to the first that is open, or the last before they lead round to one
 * that was seen; held against other changes.
 */
async function currentOf(trx: Trx, id: string): Promise<StoredRenewal> {
  const seen = new Set([id]);
  let current = await findRenewal(trx, id);
  while (current && isClosed(current.status) && current.successor_id !== null && !seen.has(current.successor_id)) {
    seen.add(current.successor_id);
    current = await findRenewal(trx, current.successor_id);
  }
  const locked = current && (await lockRenewal(trx, current.id));
  if (!locked) throw new Error(`renewal ${id} is gone`);
  return locked;
}

const isSameHolder = (renewal: StoredRenewal, { customer_id, service_type }: Expiry): boolean =>
  renewal.customer_id === customer_id && renewal.service_type === service_type;

const standsFor = ({ source_kind, source_id }: StoredRenewal, expiry: Expiry): boolean =>
  source_kind === null || (source_kind === expiry.kind && source_id === expiry.source_id);

type Besides = Partial<Record<'assigned_agent' | 'policy_id', string | null | undefined>>;

/** Its terms are counted by the day upstream says, not by that of a date before. */
const move = (deps: Deps, trx: Trx, renewal: StoredRenewal, { kind, source_id, due_date }: Expiry, besides: Besides) =>
  changeWatched(
    deps,
    trx,
    { ...renewal, anchor_day: dayOfMonth(due_date) },
    { due_date, source_kind: kind, source_id, ...besides },
  );

async function create(deps: Deps, trx: Trx, expiry: Expiry): Promise<Heard> {
  const { kind, source_id, customer_id, service_type, due_date, policy_id, assigned_agent } = expiry;
  const wanted = { customer_id, service_type, due_date, policy_id, assigned_agent, notes: null, superseded: [] };
  const [made] = await watchExpiry(deps, trx, [{ ...wanted, source: { kind, id: source_id } }]);
  return heard('created', (made as StoredRenewal).id);
}
