import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import { rememberChanges } from '../communications/history-store.ts';
import { findHolders, learnIdentifiers } from '../customers/identifier-store.ts';
import {
  identifiersOf,
  keyOf,
  type Learned,
  lookedUp,
  type Placement,
  placeAll,
  toHolders,
} from '../customers/matching.ts';
import { carryOptOuts } from '../customers/opt-out-store.ts';
import type { Deps } from '../deps.ts';
import { tieToAnswered } from '../inbound/answer-store.ts';
import { announceFiled } from '../inbound/inbound-news.ts';
import * as store from './linking-store.ts';
import { historyOf, type Link } from './unmatched.ts';

/** Records come into a customer's log as if they had just been placed; true when the customer itself changed by it. */
export async function fileRecords(deps: Deps, trx: Trx, link: Link, records: readonly string[]): Promise<boolean> {
  await store.giveTo(trx, link, records);
  const decided = await carryOptOuts(trx, records, link.customer);
  await tieToAnswered(trx, records);
  await rememberChanges(trx, historyOf('linked', link, records));
  await announceFiled(deps, trx, 'linked', link.at, await store.findFiled(trx, records));
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
  const holders = toHolders(await findHolders(trx, senders.flatMap(lookedUp)));
  const { placements, learned } = placeAll(senders, holders);
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
  customer: string;
  link: string | null;
  records: string[];
}

function claimsOf(waiting: readonly store.WaitingSender[], placements: readonly Placement[]): Claimed[] {
  const claims = new Map<string, Claimed>();
  for (const [index, { customer, link }] of placements.entries()) {
    if (customer === null) continue;
    const key = `${customer} ${link}`;
    const records = claims.get(key)?.records ?? [];
    claims.set(key, {
      customer,
      link,
      records: [...records, (waiting[index] as store.WaitingSender).communication_id],
    });
  }
  return [...claims.values()];
}

/** The link that is being made, or the earlier one that alone says whose these are: taken back with it. */
const linkOf = ({ customer, link: earlier }: Claimed, made: Link | undefined, at: Date): Link =>
  made?.customer === customer ? made : { id: earlier ?? uuidv7(), customer, by: null, at };

async function claim(deps: Deps, trx: Trx, link: Link, records: string[], taught: Learned[]): Promise<boolean> {
  await learnIdentifiers(
    trx,
    taught.map((one) => ({ ...one, link_id: link.id })),
  );
  const decided = await fileRecords(deps, trx, link, records);
  return decided || taught.length > 0;
}
