import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import { rememberChanges } from '../communications/history-store.ts';
import { findHolders, learnIdentifiers } from '../customers/identifier-store.ts';
import { identifiersOf, keyOf, type Learned, lookedUp, placeAll, toHolders } from '../customers/matching.ts';
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
  const claimed = Map.groupBy(waiting.keys(), (index) => placements[index]?.customer ?? null);
  const changed: string[] = [];
  for (const [customer, places] of claimed) {
    if (customer === null) continue;
    const records = [...places].flatMap((index) => waiting[index]?.communication_id ?? []);
    const own = link?.customer === customer ? link : { id: uuidv7(), customer, by: null, at: deps.now() };
    const taught = learned.filter((one) => one.customer_id === customer);
    if (await claim(deps, trx, own, records, taught)) changed.push(customer);
  }
  return [...changed, ...(await claimWaiting(deps, trx, learned.map(keyOf), link))];
}

async function claim(deps: Deps, trx: Trx, link: Link, records: string[], taught: Learned[]): Promise<boolean> {
  await learnIdentifiers(trx, taught, link.id);
  const decided = await fileRecords(deps, trx, link, records);
  return decided || taught.length > 0;
}
