import { traceOf } from '@ops/bus/trace';
import type { EventOf } from '@ops/contracts/events';
import { storable } from '@ops/contracts/text';
import type { Trx } from '@ops/service-kit/database';
import { announceCustomers } from '../customers/customer-news-service.ts';
import type { Deps } from '../deps.ts';
import { waitingOf } from '../filing/filed.rules.ts';
import {
  type Arrived,
  amend,
  fileNew,
  heedOptOuts,
  learnIdentifiers,
  lockKeys,
  mailedTo,
} from '../filing/filing-service.ts';
import { claimWaiting } from '../filing/linking-service.ts';
import { identifiersOf, keyOf, messageKey, type Placement } from '../filing/matching.rules.ts';
import { decisionOf, type OptOutRow } from '../filing/opt-out.rules.ts';
import { placeSenders } from '../filing/placing-service.ts';
import { fold } from '../quoted-text/fold.rules.ts';
import { announceChange, toldRecords } from '../records/record-service.ts';
import {
  answeredIds,
  answersOf,
  changesOf,
  filesOf,
  type Heard,
  type InboundRecord,
  inOrder,
  isForged,
  type Known,
  locksOf,
  mayBeKnown,
  preferenceOf,
  type Repeat,
  recordOf,
  senderOf,
  withoutRepeats,
} from './inbound.rules.ts';
import * as store from './inbound-store.ts';

/** A message and whose it is. */
interface Placed {
  message: Heard;
  placement: Placement;
  record: InboundRecord;
}

/** Everything a batch of provider messages brings, in the transaction that takes the batch. */
export async function takeIn(
  deps: Deps,
  trx: Trx,
  events: readonly EventOf<'provider.message.received'>[],
): Promise<void> {
  const heard = inOrder(events);
  await lockKeys(trx, heard.flatMap(locksOf));
  const { fresh, repeats, placeOf } = withoutRepeats(heard, await knownNames(trx, heard));
  const named = fresh.filter(({ kind }) => kind === 'message' || kind === 'identity');
  const { placements, learned } = await placeSenders(trx, named.map(senderOf));
  const placed = placedMessages(named, placements, placeOf, deps.now());
  const logged = await logMessages(deps, trx, placed);
  await amend(
    deps,
    trx,
    heard.flatMap(changesOf),
    logged.map(({ record }) => record.id),
  );
  await takeFiles(deps, trx, repeats);
  await learnIdentifiers(trx, learned);
  const claimed = await claimWaiting(deps, trx, [...learned.map(keyOf), ...keysOfWaiting(logged, placeOf)]);
  const decided = await heedOptOuts(trx, [...logged.flatMap(decidedBy), ...(await preferencesIn(trx, heard))]);
  await announceCustomers(deps, trx, [...learned.map((one) => one.customer_id), ...claimed, ...decided]);
}

async function knownNames(trx: Trx, heard: readonly Heard[]): Promise<Map<string, Known>> {
  const ids = heard.filter(mayBeKnown).map(({ external_id }) => external_id);
  const records = ids.length === 0 ? [] : await store.recordsNamed(trx, ids);
  return new Map(
    records.map(({ type, provider_message_id, ...known }) => [messageKey(type, provider_message_id), known]),
  );
}

/** What came by itself may say of its sender what the history did not. */
const keysOfWaiting = (logged: readonly Placed[], placeOf: ReadonlyMap<string, string>): string[] =>
  logged
    .filter(({ message, record }) => record.customer_id === null && placeOf.has(message.item_id))
    .flatMap(({ message }) => identifiersOf(message.sender).map(keyOf));

/** The history tells of a file before it hands it over, if it does; what the record said meanwhile gives way. */
async function takeFiles(deps: Deps, trx: Trx, repeats: readonly Repeat[]): Promise<void> {
  const given = new Map(
    repeats.filter(({ message }) => message.parts.length > 0).map(({ record, message }) => [record, message]),
  );
  if (given.size === 0) return;
  const words = [...given].map(([id, { body }]) => ({ id, body: storable(body) }));
  const filled = await store.fillIn(trx, words);
  const files = filled.flatMap((id) => filesOf(given.get(id) as Heard, id));
  await store.insertFiles(trx, files, deps.now());
  await announceChange(deps, trx, 'attachment', deps.now(), await toldRecords(trx, filled));
}

/** Only what they wrote themselves, as far as anybody can tell. */
const decidedBy = ({ message, record }: Placed) => {
  const { sender, opted_out, direction } = message;
  return direction === 'OUTBOUND' || isForged(message) ? [] : decisionOf({ ...record, told: { sender, opted_out } });
};

async function preferencesIn(trx: Trx, heard: readonly Heard[]): Promise<OptOutRow[]> {
  const decided: OptOutRow[] = [];
  for (const message of heard.filter(({ kind }) => kind === 'preference')) {
    const [email] = identifiersOf(message.sender);
    const complained = email?.kind === 'email' ? await mailedTo(trx, email.value, answeredIds(message)) : undefined;
    decided.push(...preferenceOf(message, complained ?? null));
  }
  return decided;
}

const placedMessages = (
  heard: readonly Heard[],
  placements: readonly Placement[],
  placeOf: ReadonlyMap<string, string>,
  now: Date,
): Placed[] =>
  heard.flatMap((message, index) => {
    const placement = placements[index];
    if (message.kind !== 'message' || placement === undefined) return [];
    const record = recordOf(message, placement, foldedBody(message), now, placeOf.get(message.item_id));
    return [{ message, placement, record }];
  });

/** Only mail quotes what it answers. */
const foldedBody = ({ channel, body, subject }: Heard) =>
  channel === 'EMAIL' ? fold(storable(body), subject) : { visible: storable(body), quoted: null };

/** Writes those that were not there yet, or only as the history has them, and tells of them. */
async function logMessages(deps: Deps, trx: Trx, placed: readonly Placed[]): Promise<Placed[]> {
  const written = await store.insertRecords(
    trx,
    placed.map(({ record, placement }) => ({ ...record, home: placement.customer })),
  );
  const stands = new Map(written.map((one) => [one.id, one]));
  const logged = placed.flatMap((one) => {
    const stand = stands.get(one.record.id);
    return stand ? [{ ...one, record: { ...one.record, ...stand } }] : [];
  });
  const withFiles = await store.recordsWithFiles(trx, [...stands.keys()]);
  await store.insertFiles(
    trx,
    logged.flatMap(({ message, record }) => (withFiles.has(record.id) ? [] : filesOf(message, record.id))),
    deps.now(),
  );
  await fileNew(deps, trx, logged.map(arrivedOf));
  return logged;
}

const arrivedOf = ({ message, placement, record }: Placed & { record: store.Stand }): Arrived => ({
  record,
  answers: answersOf(message, record.id),
  waiting: record.customer_id === null ? waitingOf(record, placement.customer === null ? placement : nobodys) : [],
  trace: traceOf(message.cause),
});

/** Of what the history brought and nobody could place, until it is claimed. */
const nobodys: Placement = { customer: null, reason: 'unknown', link: null };
