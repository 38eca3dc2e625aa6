import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { announceChange, rememberChanges, toldRecords } from '../records/record-service.ts';
import { tieToAnswered } from './answer-store.ts';
import { type FollowingMessage, historyOf, type Link, waitingAgain } from './filed.rules.ts';
import { announceFiled } from './filed-service.ts';
import { forgetLink, learnIdentifiers } from './identifier-store.ts';
import * as store from './linking-store.ts';
import {
  holdersOf,
  identifiersOf,
  keyOf,
  type Learned,
  type Placement,
  type SenderIdentifier,
} from './matching.rules.ts';
import { carryOptOuts } from './opt-out-store.ts';
import { holdersFor, placeSenders } from './placing-service.ts';

/** Records come into a customer's log as if they had just been placed; true when the customer itself changed by it. */
export async function fileRecords(deps: Deps, trx: Trx, link: Link, records: readonly string[]): Promise<boolean> {
  await store.giveTo(trx, link, records);
  const decided = await carryOptOuts(trx, records);
  await tieToAnswered(trx, records);
  await rememberChanges(trx, historyOf('linked', link, records));
  await announceFiled(deps, trx, 'linked', link.at, await toldRecords(trx, records));
  return decided;
}

/**
 * Somebody got these identifiers: messages that waited for them, and can now be placed, are. What they teach of their
 * senders may place others. The keys must be locked. Gives back the customers that changed.
 */
export async function claimWaiting(deps: Deps, trx: Trx, keys: readonly string[], link?: Link): Promise<string[]> {
  if (keys.length === 0) return [];
  const waiting = await store.lockWaitingFor(trx, keys);
  const senders = waiting.map((one) => ({ identifiers: identifiersOf(one), becomes: [] }));
  const { placements, learned } = await placeSenders(trx, senders);
  const changed: string[] = [];
  for (const claimed of claimsOf(waiting, placements)) {
    const own = linkOf(claimed, link, deps.now());
    const taught = learned.filter((one) => one.customer_id === claimed.customer && one.link_id === claimed.link);
    if (await claim(deps, trx, own, claimed.records, taught)) changed.push(own.customer);
  }
  return [...changed, ...(await claimWaiting(deps, trx, learned.map(keyOf), link))];
}

/** What comes to one customer for one reason. */
interface Claimed {
  /** The id it comes under, and whom that leads to. */
  customer: string;
  home: string;
  link: string | null;
  records: string[];
}

function claimsOf(waiting: readonly store.WaitingSender[], placements: readonly Placement[]): Claimed[] {
  const claims = new Map<string, Claimed>();
  for (const [index, placement] of placements.entries()) {
    if (placement.customer === null) continue;
    const { under: customer, customer: home, link } = placement;
    const key = `${customer} ${link}`;
    const records = claims.get(key)?.records ?? [];
    claims.set(key, {
      customer,
      home,
      link,
      records: [...records, (waiting[index] as store.WaitingSender).communication_id],
    });
  }
  return [...claims.values()];
}

/** The link that is being made, or the earlier one that alone says whose these are: taken back with it. */
const linkOf = ({ customer, home, link: earlier }: Claimed, made: Link | undefined, at: Date): Link =>
  made?.home === home ? { ...made, customer } : { id: earlier ?? uuidv7(), customer, home, by: null, at };

async function claim(deps: Deps, trx: Trx, link: Link, records: string[], taught: Learned[]): Promise<boolean> {
  await learnIdentifiers(
    trx,
    taught.map((one) => ({ ...one, link_id: link.id })),
  );
  const decided = await fileRecords(deps, trx, link, records);
  return decided || taught.length > 0;
}

/** Nothing is learned of a sender who may be somebody else the next time. */
export async function learnFrom(trx: Trx, link: Link, identifiers: SenderIdentifier[]): Promise<SenderIdentifier[]> {
  const holders = await holdersFor(trx, [{ identifiers, becomes: [] }]);
  const held = identifiers.map((one) => holdersOf(one, holders));
  if (held.flat().some((holder) => holder !== link.home)) return [];
  const unknown = identifiers.filter((_, index) => held[index]?.length === 0);
  const learned = unknown.map((one) => ({ ...one, customer_id: link.customer, link_id: link.id }));
  await learnIdentifiers(trx, learned);
  return learned;
}

/**
 * Records leave the customer's log by which a link had placed them, and wait again; what it taught is forgotten. Gives back
 * the customers that changed.
 */
export async function takeBack(
  deps: Deps,
  trx: Trx,
  link: Link,
  records: readonly string[],
  following: readonly FollowingMessage[],
): Promise<string[]> {
  await announceChange(deps, trx, 'unlinked', link.at, await toldRecords(trx, records));
  await store.takeFrom(trx, records);
  await store.insertWaiting(trx, following.map(waitingAgain));
  await rememberChanges(trx, historyOf('unlinked', link, records));
  const decided = await carryOptOuts(trx, records);
  const forgotten = await forgetLink(trx, link.id);
  return [...(decided ? [link.customer] : []), ...forgotten];
}
