import { BrokenEventError, EventTooLargeError } from '@ops/bus/errors';
import { takeFresh } from '@ops/bus/inbox';
import { dayOfMonth } from '@ops/contracts/dates';
import { type Envelope, envelope } from '@ops/contracts/envelope';
import { readerOf } from '@ops/contracts/events';
import type { UpstreamEvent, UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { unknownOf, withoutAgents } from '@ops/following/agent-service';
import { describe, heldLead, leadsTo } from '@ops/following/merge-service';
import type { Trx } from '@ops/service-kit/database';
import { fieldErrors, tooLarge, unprocessable } from '@ops/service-kit/errors';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Deps } from '../deps.ts';
import { followMerges } from '../renewals/merged-customer-service.ts';
import { isClosed, type StoredRenewal, writtenUnder } from '../renewals/renewal.rules.ts';
import { cancelRenewal } from '../renewals/renewal-service.ts';
import { changeWatched, findRenewal, lockRenewal, lockWatch, watchExpiry } from '../renewals/watch-service.ts';
import { topology } from '../topology.ts';
import { takeEnding } from './ending-service.ts';
import {
  agentBy,
  asSaidBefore,
  completed,
  type Ending,
  type Expiry,
  leftUnassigned,
  notedIn,
  type Told,
  toldBy,
  type UpstreamTold,
} from './expiry-reader.ts';
import * as store from './statement-store.ts';

type Watched = Pick<UpstreamEventOutcome, 'outcome' | 'renewal_id'>;

/** What comes over the broker may leave out what every event of ours has. */
export const completePublished = (event: unknown, now: Date): unknown =>
  typeof event === 'object' && event !== null ? completed(event, now) : event;

/** What is wrong with an event is told to whoever looks at the dead letter it becomes. */
export async function takePublished(deps: Deps, trx: Trx, events: readonly UpstreamTold[]): Promise<void> {
  for (const event of events) {
    const told = toldBy(event, deps.now());
    if ('problems' in told)
      throw new BrokenEventError(told.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
    await take(deps, trx, told);
  }
}

const read = readerOf(topology.queues.upstream.name);

/**
 * An event counts once, also when it came over the broker before, or comes so later. Whoever else listens hears of it as
 * if it had come over the broker; our own queue has taken it by then.
 */
export async function takePosted(deps: Deps, trx: Trx, posted: UpstreamEvent): Promise<UpstreamEventOutcome> {
  const event = envelope.parse(completed(posted, deps.now())) as Envelope;
  const { data, error } = read(event);
  const told = error ? { problems: fieldErrors(error) } : toldBy(data, deps.now());
  if ('problems' in told) throw unprocessable(told.problems);
  const [fresh] = await takeFresh(trx, topology.queues.upstream.name, [event]);
  if (fresh) await deps.outbox.passOn(trx, event).catch(refuseTooLarge);
  const watched = fresh ? await take(deps, trx, told).catch(withoutAgents) : await known(trx, told);
  return { event_id: event.id, ...watched };
}

function refuseTooLarge(error: unknown): never {
  throw error instanceof EventTooLargeError ? tooLarge('The event is over the limit') : error;
}

async function known(trx: Trx, told: Told): Promise<Watched> {
  const statement = await store.findStatement(trx, told);
  return { outcome: 'unchanged', renewal_id: statement?.renewal_id ?? null };
}

/** The newest word about a policy or permit counts, in whatever order and however often they come. */
const take = (deps: Deps, trx: Trx, told: Expiry | Ending): Promise<Watched> =>
  told.ended ? takeEnding(deps, trx, told) : takeExpiry(deps, trx, told);

/** Whether its customer is known does not matter: no date is dropped. */
async function takeExpiry(deps: Deps, trx: Trx, told: Expiry): Promise<Watched> {
  const unknown = await unknownOf(deps, trx, [told.assigned_agent]);
  await hearOfHolders(deps, trx, told);
  const customer_id = await heldLead(trx, told.customer_id);
  await store.lockSource(trx, told);
  await lockWatch(trx, customer_id, told.service_type);
  const statement = await store.findStatement(trx, told);
  const expiry = { ...(unknown.size === 0 ? told : leftUnassigned(told)), customer_id };
  if ((statement && !statement.is_older) || (await store.isOvertaken(trx, told)))
    return { outcome: 'ignored', renewal_id: statement?.renewal_id ?? null };
  const { watched, said, heldBy } = statement
    ? await hearAgain(deps, trx, expiry, statement)
    : await hearFirst(deps, trx, expiry);
  await store.saveStatement(trx, said, heldBy);
  return watched;
}

/**
 * It may be told under an id that is taken for the same customer's as the one it was told under before, and we have not heard of
 * it: comms-service is asked, so that nothing is cancelled, and alerted of anew, for a new name of the same one.
 */
async function hearOfHolders(deps: Deps, trx: Trx, told: Expiry): Promise<void> {
  const statement = await store.findStatement(trx, told);
  const known = statement && (await findRenewal(trx, statement.renewal_id));
  if (!known || known.customer_id === (await leadsTo(trx, told.customer_id))) return;
  const asked = await describe(deps.customers, [told.customer_id, writtenUnder(known)]).catch(goingOn);
  await followMerges(deps, trx, asked?.merges ?? []);
}

/** While it is away, dates are watched all the same. */
const goingOn = (error: unknown): undefined => {
  if (!(error instanceof InternalCallError)) throw error;
};

type Said = Pick<store.Statement, 'renewal_id' | 'assigned_agent'> & Partial<Pick<store.Statement, 'is_ended'>>;

/** What was done, and the renewal the next statement is to begin at. */
interface Heard {
  watched: Watched;
  /** What is kept of what was told. */
  said: Expiry;
  heldBy: string;
}

/** What staff know of it already, by the policy it names or by its date, is not watched twice, nor what they completed. */
async function hearFirst(deps: Deps, trx: Trx, expiry: Expiry): Promise<Heard> {
  const over = await store.findTermOver(trx, expiry);
  if (over !== undefined) return hearAgain(deps, trx, expiry, { renewal_id: over, assigned_agent: null });
  return watch(deps, trx, expiry, (await store.findWatched(trx, expiry)) ?? (await store.findAwaiting(trx, expiry)));
}

/**
 * One that is closed, or stands for another policy or permit by now, is left alone; but what ends later than that one is
 * a new term, and is watched. So is what is in force again after it had ended.
 */
async function hearAgain(deps: Deps, trx: Trx, expiry: Expiry, statement: Said): Promise<Heard> {
  const line = await lineOf(trx, statement.renewal_id, expiry);
  const { current } = line;
  const isItsOwn = !isClosed(current.status) && standsFor(current, expiry);
  if (!isSameHolder(current, expiry)) {
    if (isItsOwn) await cancelRenewal(deps, trx, current.id, { reason: 'upstream' }, undefined);
    return watch(deps, trx, expiry, await store.findWatched(trx, expiry));
  }
  if (isItsOwn) return adjust(deps, trx, expiry, statement, line);
  const isInForceAgain = statement.is_ended === true && current.status === 'CANCELLED';
  if (expiry.due_date <= current.due_date && !isInForceAgain)
    return heard('ignored', current.id, expiry, statement.renewal_id);
  return watch(deps, trx, expiry, await store.findWatched(trx, expiry));
}

/** What is said of a term that was completed does not bring the next one back to it; who is to deal with it holds for both. */
async function adjust(deps: Deps, trx: Trx, told: Expiry, statement: Said, line: store.Line): Promise<Heard> {
  const { current } = line;
  const expiry = asSaidBefore(told, statement.assigned_agent);
  const assigned_agent = agentBy(expiry.assigned_agent, statement.assigned_agent, current.assigned_agent);
  if (await store.findTermOver(trx, expiry, line)) {
    await changeWatched(deps, trx, current, { assigned_agent, notes: notedIn(current.notes, expiry.note) });
    return heard('ignored', current.id, expiry, statement.renewal_id);
  }
  const moved = await move(deps, trx, current, expiry, { assigned_agent });
  const outcome = moved.version === current.version ? 'unchanged' : 'moved';
  return heard(outcome, current.id, expiry, statement.renewal_id);
}

const heard = (outcome: Watched['outcome'], renewal_id: string, said: Expiry, heldBy = renewal_id): Heard => ({
  watched: { outcome, renewal_id },
  said,
  heldBy,
});

/**
 * The renewals of a policy or permit, from the one it was first watched by to the last that follows and is about it.
 * The last is held against other changes.
 */
async function lineOf(trx: Trx, first: string, expiry: Expiry): Promise<store.Line> {
  const line: StoredRenewal[] = [];
  for (let next = await findRenewal(trx, first); next; next = await nextOf(trx, line, expiry)) line.push(next);
  const last = line.at(-1);
  const current = last && (await lockRenewal(trx, last.id));
  if (!current) throw new Error(`renewal ${first} is gone`);
  return { current, before: line.at(-2) };
}

/** The renewal that follows the last of the line, unless it stands in the line already: successors may form a circle. */
async function nextOf(trx: Trx, line: readonly StoredRenewal[], expiry: Expiry): Promise<StoredRenewal | undefined> {
  const last = line.at(-1);
  if (!last || last.successor_id === null || !standsFor(last, expiry)) return undefined;
  const next = await findRenewal(trx, last.successor_id);
  return next && !line.some(({ id }) => id === next.id) && follows(last, next, expiry) ? next : undefined;
}

/**
 * Whether the next renewal goes on with the last. One that was there before has a date of its own, unless it is of this
 * very policy or permit.
 */
const follows = (last: StoredRenewal, next: StoredRenewal, { kind, source_id, policy_id }: Expiry): boolean =>
  last.successor_made === true ||
  (next.source_kind === null
    ? policy_id !== null && next.policy_id === policy_id
    : next.source_kind === kind && next.source_id === source_id);

const isSameHolder = (renewal: StoredRenewal, { customer_id, service_type }: Expiry): boolean =>
  renewal.customer_id === customer_id && renewal.service_type === service_type;

const standsFor = ({ source_kind, source_id }: StoredRenewal, expiry: Expiry): boolean =>
  source_kind === null || (source_kind === expiry.kind && source_id === expiry.source_id);

type Besides = Partial<Record<'assigned_agent' | 'policy_id', string | null | undefined>>;

/** Its terms are counted by the day upstream says, not by that of a date before. */
const move = (
  deps: Deps,
  trx: Trx,
  renewal: StoredRenewal,
  { kind, source_id, due_date, note }: Expiry,
  besides: Besides,
) =>
  changeWatched(deps, trx, renewal, {
    due_date,
    notes: notedIn(renewal.notes, note),
    anchor_day: dayOfMonth(due_date),
    source_kind: kind,
    source_id,
    ...besides,
  });

/** Watches the date by the renewal that is there for it, or else by a new one. */
async function watch(deps: Deps, trx: Trx, expiry: Expiry, id: string | undefined): Promise<Heard> {
  const adopted = id === undefined ? undefined : await lockRenewal(trx, id);
  if (!adopted) return create(deps, trx, expiry);
  const { policy_id } = expiry;
  const assigned_agent = agentBy(expiry.assigned_agent, null, adopted.assigned_agent);
  await move(deps, trx, adopted, expiry, { assigned_agent, policy_id: policy_id ?? undefined });
  return heard('adopted', adopted.id, expiry);
}

async function create(deps: Deps, trx: Trx, expiry: Expiry): Promise<Heard> {
  const {
    kind,
    source_id,
    written_under: customer_id,
    service_type,
    due_date,
    policy_id,
    assigned_agent,
    note,
  } = expiry;
  const wanted = { customer_id, service_type, due_date, policy_id, assigned_agent, notes: note };
  const [made] = await watchExpiry(deps, trx, [{ ...wanted, source: { kind, id: source_id } }]);
  return heard('created', (made as StoredRenewal).id, expiry);
}
