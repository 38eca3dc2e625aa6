import type { Envelope } from '@ops/contracts/envelope';
import type { Trx } from '@ops/service-kit/database';
import { announceChange } from '../communications/announce.ts';
import { announceCustomers } from '../customers/customer-news.ts';
import { findHolders, learnIdentifiers, lockKeys } from '../customers/identifier-store.ts';
import { keyOf, lookedUp, type Placement, placeAll, toHolders } from '../customers/matching.ts';
import { insertOptOuts } from '../customers/opt-out-store.ts';
import type { Deps } from '../deps.ts';
import { fold } from '../quoted-text/fold.ts';
import { claimWaiting } from '../unmatched/linking.ts';
import { insertWaiting } from '../unmatched/linking-store.ts';
import { waitingOf } from '../unmatched/unmatched.ts';
import { insertAnswers, tieToAnswered } from './answer-store.ts';
import { attachChanges, insertChanges, sumUpChanges } from './change-store.ts';
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
} from './inbound.ts';
import { announceFiled } from './inbound-news.ts';
import * as store from './inbound-store.ts';
import { optOutOf } from './opt-out.ts';

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
  const { placements, learned } = await placeSenders(trx, named);
  const logged = await logMessages(deps, trx, placedMessages(named, placements, deps.now()));
  await amend(
    deps,
    trx,
    heard,
    logged.map(({ record }) => record.id),
  );
  await learnIdentifiers(trx, learned);
  const claimed = await claimWaiting(deps, trx, learned.map(keyOf));
  const decided = await decideOptOuts(trx, logged);
  await announceCustomers(deps, trx, [...learned.map((one) => one.customer_id), ...claimed, ...decided]);
}

async function placeSenders(trx: Trx, heard: readonly Heard[]) {
  const senders = heard.map(senderOf);
  return placeAll(senders, toHolders(await findHolders(trx, senders.flatMap(lookedUp))));
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
  const messages = logged.map(({ message }) => message);
  await store.insertFiles(trx, messages.flatMap(filesOf), deps.now());
  await insertAnswers(trx, messages.flatMap(answersOf));
  await insertWaiting(
    trx,
    logged.flatMap(({ record, placement }) => waitingOf(record, placement)),
  );
  const tied = new Map((await tieToAnswered(trx, [...fresh])).map((answer) => [answer.id, answer]));
  await announceFiled(
    ...([deps, trx, 'created', deps.now()] as const),
    logged.map(({ message, record }) => ({
      ...record,
      direction: 'INBOUND' as const,
      status: 'RECEIVED' as const,
      renewal_id: tied.get(record.id)?.renewal_id ?? null,
      in_reply_to: tied.get(record.id)?.in_reply_to ?? null,
      cause: message.cause,
    })),
  );
  return logged;
}

/** Reactions and edits of these messages and of earlier ones, and those that came before their message. */
async function amend(deps: Deps, trx: Trx, heard: readonly Heard[], logged: readonly string[]): Promise<void> {
  const changes = heard.flatMap(changesOf);
  await insertChanges(trx, changes);
  const records = await attachChanges(
    trx,
    changes.map(({ id }) => id),
    logged,
  );
  if (records.length > 0) await announceChange(deps, trx, 'amended', deps.now(), await sumUpChanges(trx, records));
}

/** Whose wishes changed. */
async function decideOptOuts(trx: Trx, logged: readonly Placed[]): Promise<string[]> {
  const decided = logged.flatMap(({ message, record }) => {
    const opted_out = optOutOf({ ...record, automatic: message.automatic });
    const { id: communication_id, customer_id, type: channel, occurred_at: decided_at } = record;
    return opted_out === null ? [] : [{ communication_id, customer_id, channel, opted_out, decided_at }];
  });
  await insertOptOuts(trx, decided);
  return decided.flatMap(({ customer_id }) => customer_id ?? []);
}
