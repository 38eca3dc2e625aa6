import type { Envelope } from '@ops/contracts/envelope';
import type { Trx } from '@ops/service-kit/database';
import { announceCustomers } from '../customers/customer-news.ts';
import type { Deps } from '../deps.ts';
import { waitingOf } from '../filing/filed.rules.ts';
import { type Arrived, amend, fileNew, heedOptOuts, learnIdentifiers, lockKeys } from '../filing/filing-service.ts';
import { claimWaiting } from '../filing/linking-service.ts';
import { keyOf, type Placement } from '../filing/matching.rules.ts';
import { placeSenders } from '../filing/placing-service.ts';
import { fold } from '../quoted-text/fold.ts';
import {
  answersOf,
  changesOf,
  filesOf,
  type Heard,
  type InboundRecord,
  inOrder,
  locksOf,
  recordOf,
  senderOf,
  storable,
} from './inbound.rules.ts';
import * as store from './inbound-store.ts';

/** A message and whose it is. */
interface Placed {
  message: Heard;
  placement: Placement;
  record: InboundRecord;
}

/** Everything a batch of provider messages brings, in the transaction that takes the batch. */
export async function takeIn(deps: Deps, trx: Trx, events: readonly Envelope[]): Promise<void> {
  const heard = inOrder(events);
  await lockKeys(trx, heard.flatMap(locksOf));
  const named = heard.filter(({ kind }) => kind === 'message' || kind === 'identity');
  const { placements, learned } = await placeSenders(trx, named.map(senderOf));
  const logged = await logMessages(deps, trx, placedMessages(named, placements, deps.now()));
  await amend(
    deps,
    trx,
    heard.flatMap(changesOf),
    logged.map(({ record }) => record.id),
  );
  await learnIdentifiers(trx, learned);
  const claimed = await claimWaiting(deps, trx, learned.map(keyOf));
  const decided = await heedOptOuts(
    trx,
    logged.map(({ message, record }) => ({ ...record, automatic: message.automatic })),
  );
  await announceCustomers(deps, trx, [...learned.map((one) => one.customer_id), ...claimed, ...decided]);
}

const placedMessages = (heard: readonly Heard[], placements: readonly Placement[], now: Date): Placed[] =>
  heard.flatMap((message, index) => {
    const placement = placements[index];
    if (message.kind !== 'message' || placement === undefined) return [];
    return [{ message, placement, record: recordOf(message, placement, foldedBody(message), now) }];
  });

/** Only mail quotes what it answers. */
const foldedBody = ({ channel, body }: Heard) =>
  channel === 'EMAIL' ? fold(storable(body)) : { visible: storable(body), quoted: null };

/** Writes those that were not there yet, and tells of them. */
async function logMessages(deps: Deps, trx: Trx, placed: readonly Placed[]): Promise<Placed[]> {
  const fresh = new Set(
    await store.insertRecords(
      trx,
      placed.map(({ record }) => record),
    ),
  );
  const logged = placed.filter(({ record }) => fresh.has(record.id));
  await store.insertFiles(
    trx,
    logged.flatMap(({ message }) => filesOf(message)),
    deps.now(),
  );
  await fileNew(deps, trx, logged.map(arrivedOf));
  return logged;
}

const arrivedOf = ({ message, placement, record }: Placed): Arrived => ({
  record: { ...record, direction: 'INBOUND', status: 'RECEIVED', renewal_id: null, in_reply_to: null },
  answers: answersOf(message),
  waiting: waitingOf(record, placement),
  cause: message.cause,
});
