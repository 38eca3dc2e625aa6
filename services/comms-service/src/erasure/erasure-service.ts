import type { ErasureOrder, ErasureOutcome } from '@ops/contracts/internal-routes';
import type { Certificate, Erasure } from '@ops/contracts/resources/erasure';
import type { Proposal } from '@ops/contracts/resources/proposal';
import type { RetentionPlace } from '@ops/contracts/resources/retention';
import type { Actor } from '@ops/contracts/roles';
import type { ServiceName } from '@ops/contracts/routes';
import { actIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, stayAwake, type Trx } from '@ops/service-kit/database';
import { erasePortion, noteRows, type Erasure as OwnErasure } from '@ops/service-kit/erasure';
import { conflict } from '@ops/service-kit/errors';
import { fingerprintOf } from '@ops/service-kit/fingerprint';
import { InternalCallError, unavailableWithout } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import { soughtBy } from '@ops/service-kit/sought';
import { v7 as uuidv7 } from 'uuid';
import { aliasesOf, homesOf, requireHome } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { commsErasure } from '../erasure-places.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { keyOf, type SenderIdentifier, writtenAs } from '../filing/matching.rules.ts';
import { onLegalHold } from '../legal-hold/legal-hold-service.ts';
import { aliasesProposed, findNewest, type ProposalDeps, propose, subjectOf } from '../proposals/proposal-service.ts';
import { isLast, portionsOf, type Round, reasonAgainst, type Sought, type Standing } from './erasure.rules.ts';
import * as store from './erasure-store.ts';

/** Who keeps something of people: this service itself, and every other one. */
export interface Eraser {
  service: ServiceName;
  apply(order: ErasureOrder): Promise<ErasureOutcome>;
}

/** This service's own part: which messages are theirs, it alone can say. */
export const ownPart = (db: Db, own: OwnErasure): Eraser => ({
  service: 'comms-service',
  apply: async (order) =>
    own.apply({ ...order, records: [...new Set([...order.records, ...(await store.recordsLeft(db, order))])] }),
});

export interface ErasingDeps extends Pick<Deps, 'outbox' | 'now'> {
  erasers: readonly Eraser[];
  /** Rejects with an InternalCallError. */
  hasActiveRenewal(ids: readonly string[]): Promise<boolean>;
  logger: Logger;
}

export interface ProposingDeps extends ErasingDeps {
  proposing: ProposalDeps;
}

/** All is looked at again when it takes effect: a day is long. */
export async function proposeErasure(
  { proposing, ...deps }: ProposingDeps,
  trx: Trx,
  id: string,
  actor: Actor,
): Promise<Proposal> {
  await requireHome(trx, id);
  const aliases = await aliasesOf(trx, id);
  const standing = await standingOf(deps, trx, id, aliases).catch(unavailableWithout('Renewals'));
  const reason = reasonAgainst(standing);
  if (reason !== undefined) throw conflict(reason);
  return propose(proposing, trx, { kind: 'ERASURE', subject_id: id, aliases }, actor);
}

async function standingOf(
  { hasActiveRenewal }: ErasingDeps,
  trx: Trx,
  id: string,
  proposed: readonly string[],
): Promise<Standing> {
  const home = (await homesOf(trx, [id])).get(id) ?? id;
  const aliases = await aliasesOf(trx, id);
  const ids = [id, ...aliases];
  return {
    id,
    home,
    aliases,
    proposed,
    isOnHold: await onLegalHold(trx, id),
    isUnderWay: await store.isUnderWay(trx, ids),
    hasActiveRenewal: await hasActiveRenewal(ids),
  };
}

/**
 * From here on the ids are nobody's: their addresses lead to nobody, and whoever writes for them finds that they were erased. What lies of
 * them everywhere goes afterwards.
 */
export async function takeAway(deps: ErasingDeps, trx: Trx, proposal: Proposal) {
  const id = proposal.customer_id as string;
  const proposed = await aliasesProposed(trx, proposal.id);
  const ids = [id, ...proposed];
  // Nobody is merged with whoever is not there any more.
  await lockKeys(trx, ['merging']);
  await lockKeys(trx, (await store.addressesOf(trx, ids)).map(keyOf));
  await store.holdAlone(trx, ids);
  const declined = reasonAgainst(await standingOf(deps, trx, id, proposed));
  if (declined !== undefined) return { declined };
  const sought = await soughtOf(trx, ids);
  const erasure = { id: uuidv7(), customer_id: id, aliases: proposed, proposal_id: proposal.id, sought };
  const stored = await store.insertErasure(trx, erasure);
  await eraseAtOnce(trx, orderOf(stored, sought, []));
  const { erased_at: occurred_at } = stored;
  await deps.outbox.add(trx, { type: 'customer.erased', data: { customer_id: id, aliases: proposed, occurred_at } });
  await audit(trx, { subject: subjectOf(proposal), before: { erased: false }, after: { erased: true } });
  return undefined;
}

/** An address that somebody else has too is theirs, and says nothing of whose a message is. */
async function soughtOf(trx: Trx, ids: readonly string[]): Promise<Sought> {
  const all = unique((await store.addressesOf(trx, ids)).flatMap(writtenAs));
  const shared = new Set((await store.heldByOthers(trx, ids, all)).map(nameOf));
  const records = await store.recordsOf(trx, ids);
  return {
    addresses: all.filter((one) => !shared.has(nameOf(one))),
    records: records.map((one) => one.id),
    externals: [...new Set(records.flatMap(({ external }) => external ?? []))],
  };
}

const nameOf = ({ kind, value }: SenderIdentifier) => `${kind}:${value}`;
const unique = (all: readonly SenderIdentifier[]) => [...new Map(all.map((one) => [nameOf(one), one])).values()];

/** What makes a message theirs, and what everybody would see of them. */
const atOnce = new Set(['identifiers', 'customers']);
const mostIdentifiers = 10_000;

async function eraseAtOnce(trx: Trx, order: ErasureOrder): Promise<void> {
  for (const place of commsErasure.filter(({ name }) => atOnce.has(name))) {
    const gone = await erasePortion(trx, place, soughtBy(order), mostIdentifiers);
    await noteRows(trx, order.erasure_id, place.name, gone.length);
  }
}

const orderOf = (
  { id, customer_id, aliases, erased_at }: store.StoredErasure,
  sought: Sought,
  events: readonly string[],
): ErasureOrder => ({
  erasure_id: id,
  erased_at,
  customer_ids: [customer_id, ...aliases],
  ...sought,
  events: [...events],
  from: null,
});

/** Each turn takes all that are under way a step further; what broke off, for whatever reason, goes on at the next one. */
export async function goOnErasing(deps: ErasingDeps, db: Db, goesOn = () => true): Promise<void> {
  for (const id of await store.listUnderWay(db)) {
    if (!goesOn()) return;
    await inTransaction(db, (trx) => goOnWith(deps, trx, id)).catch((error: unknown) => {
      if (!(error instanceof InternalCallError)) throw error;
      deps.logger.warn({ err: error, erasure: id }, 'an erasure waits for a service that is away');
    });
  }
}

const mostRounds = 5;

/** Round after round over all services, until one finds nothing more. The transaction holds the erasure, and what is erased is erased in others. */
async function goOnWith(deps: ErasingDeps, trx: Trx, id: string): Promise<void> {
  const erasure = await store.lockUnderWay(trx, id);
  if (!erasure?.sought) return;
  const orders = portionsOf(erasure.sought).map((sought) => orderOf(erasure, sought, []));
  let known: ReadonlySet<string> = new Set();
  for (let n = 0; n < mostRounds; n++) {
    const { places, ...round } = await goRound(deps, trx, orders, known);
    await store.savePlaces(trx, id, places);
    if (isLast(round, known)) return certify(deps, trx, { ...erasure, places });
    known = round.events;
  }
}

async function goRound(deps: ErasingDeps, trx: Trx, orders: readonly ErasureOrder[], known: ReadonlySet<string>) {
  const round = { changed: 0, waits: 0, events: new Set<string>(), places: [] as RetentionPlace[] };
  for (const eraser of deps.erasers) {
    let places: RetentionPlace[] = [];
    for (const [n, order] of orders.entries()) {
      const outcomes = await askAll(eraser, trx, n === 0 ? { ...order, events: [...known] } : order);
      for (const { changed, waits, events } of outcomes) {
        round.changed += changed;
        round.waits += waits;
        for (const event of events) round.events.add(event);
      }
      places = outcomes.at(-1)?.places ?? places;
    }
    round.places.push(...places);
  }
  return round satisfies Round;
}

/** No call takes long. */
async function askAll(eraser: Eraser, trx: Trx, order: ErasureOrder): Promise<ErasureOutcome[]> {
  const outcomes: ErasureOutcome[] = [];
  for (let from = order.from; outcomes.length === 0 || from !== null; ) {
    const outcome = await eraser.apply({ ...order, from, events: outcomes.length === 0 ? order.events : [] });
    outcomes.push(outcome);
    from = outcome.next;
    await stayAwake(trx);
  }
  return outcomes;
}

/** That it is done, and what it came to, stands in the chain of who changed what. */
async function certify(deps: ErasingDeps, trx: Trx, erasure: store.StoredErasure): Promise<void> {
  const { id, customer_id } = erasure;
  const proposal = await findNewest(trx, 'ERASURE', customer_id);
  if (!proposal) throw new Error('nobody proposed what was done');
  const at = deps.now().toISOString();
  const digest = fingerprintOf({ ...certificateOf(erasure, proposal), completed_at: at, digest: null });
  await store.complete(trx, id, { digest, at });
  const sub = proposal.confirmed_by ?? proposal.proposed_by;
  actIn(trx, { actor: { sub, role: 'admin' }, requestId: id, action: 'eraseCustomer' });
  await audit(trx, { subject: subjectOf(proposal), before: {}, after: { erasure_digest: digest } });
}

const certificateOf = (
  { aliases, erased_at, places, completed_at, digest }: store.StoredErasure,
  { proposed_by, proposed_at, confirmed_by }: Proposal,
): Certificate => ({ aliases, proposed_by, proposed_at, confirmed_by, erased_at, places, completed_at, digest });

export async function getErasure(db: Db, id: string): Promise<Erasure> {
  const erased = await store.findErasure(db, id);
  const customer_id = erased?.customer_id ?? (await requireHome(db, id));
  const proposal = (await findNewest(db, 'ERASURE', customer_id)) ?? null;
  return { customer_id, proposal, certificate: erased && proposal ? certificateOf(erased, proposal) : null };
}
