import type { Page } from '@ops/contracts/pagination';
import type { DismissResult, LinkResult, Unmatched, UnmatchedQuery } from '@ops/contracts/resources/unmatched';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound, unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { holdHomes } from '../aliases/alias-service.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import { namesOf } from '../customers/customer-service.ts';
import { senderPattern } from '../customers/search.rules.ts';
import type { Deps } from '../deps.ts';
import type { Link } from '../filing/filed.rules.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { claimWaiting, fileRecords, learnFrom, takeBack } from '../filing/linking-service.ts';
import { identifiersOf, keyOf } from '../filing/matching.rules.ts';
import { holdersFor } from '../filing/placing-service.ts';
import { announceChange, rememberChanges, toldRecords } from '../records/record-service.ts';
import { candidatesOf, decideLink, type StoredUnmatched, toUnmatched } from './unmatched.rules.ts';
import * as store from './unmatched-store.ts';

export async function listUnmatched(
  { phoneRegion }: Pick<Deps, 'phoneRegion'>,
  db: Db,
  query: UnmatchedQuery,
): Promise<Page<Unmatched>> {
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const sender = query.q === undefined ? undefined : senderPattern(query.q, phoneRegion);
  const rows = await store.listUnmatched(db, { ...query, sender }, after, query.limit + 1);
  const page = toPage(rows, query.limit, (row) => [row.occurred_at, row.id]);
  return { ...page, data: await withCandidates(db, page.data) };
}

export async function findUnmatched(db: Db, id: string): Promise<Unmatched> {
  const [message] = await withCandidates(db, [await existing(db, id)]);
  return message as Unmatched;
}

/** Adds who a waiting message may be from; of a linked one that is known. */
async function withCandidates(db: Db | Trx, rows: StoredUnmatched[]): Promise<Unmatched[]> {
  const waiting = rows.filter((row) => row.link_id === null);
  const senders = waiting.map((row) => ({ identifiers: identifiersOf(row), becomes: [] }));
  const holders = await holdersFor(db, senders);
  const found = new Map(waiting.map((row) => [row.id, candidatesOf(row, holders)]));
  const ids = [...found.values()].flat().map((one) => one.customer_id);
  const names = await namesOf(db, ids);
  return rows.map((row) => {
    const candidates = (found.get(row.id) ?? []).map((one) => ({ ...one, name: names.get(one.customer_id) ?? '' }));
    return toUnmatched(row, candidates);
  });
}

/**
 * The sender's other waiting messages go along, and so does what waits for an identifier that is learned by it. One that was
 * probably written in somebody's name goes alone: whoever links it knows of this one and no other.
 */
export async function linkUnmatched(
  deps: Deps,
  trx: Trx,
  id: string,
  customer: string,
  actor: Actor,
): Promise<LinkResult> {
  const message = await lockMessage(trx, id);
  const home = (await holdHomes(trx, [customer])).get(customer);
  if (home === undefined) throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  const decision = decideLink(message.customer_id, home);
  if (decision === 'elsewhere') throw conflict(`It belongs to customer ${message.customer_id}; take that back first`);
  if (decision === 'same') return resultOf(trx, id, message.link_id);
  const link = { id: uuidv7(), customer, home, by: actor.sub, at: deps.now() };
  const isForged = message.reason === 'unverified';
  const learned = isForged ? [] : await learnFrom(trx, link, identifiersOf(message));
  const together = isForged ? [id] : await store.lockWaitingOf(trx, message);
  const decided = await fileRecords(deps, trx, link, together);
  const claimed = await claimWaiting(deps, trx, learned.map(keyOf), link);
  await announceCustomers(deps, trx, [...(decided || learned.length > 0 ? [customer] : []), ...claimed]);
  return resultOf(trx, id, link.id);
}

/**
 * All that is in the customer's log by this link alone waits again, what came after it included; what the link taught is
 * forgotten.
 */
export async function unlinkUnmatched(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<LinkResult> {
  const message = await lockMessage(trx, id);
  const { link_id, linked_to: customer } = message;
  if (link_id === null || customer === null) return resultOf(trx, id, null);
  if (message.filed_under !== customer) throw conflict('It was refiled since; the link is no longer what placed it');
  const link = { id: link_id, customer, home: message.customer_id ?? customer, by: actor.sub, at: deps.now() };
  const { records, changed } = await takeLinkBack(deps, trx, link);
  await announceCustomers(deps, trx, changed);
  return { ...(await resultOf(trx, id, null)), moved: records };
}

/** What this link placed waits again; tells which records, and which customers changed. */
export async function takeLinkBack(deps: Deps, trx: Trx, link: Link) {
  const following = await store.lockFollowing(trx, link);
  const records = [...(await store.lockLinked(trx, link.id)), ...following.map((one) => one.communication_id)];
  return { records, changed: await takeBack(deps, trx, link, records, following) };
}

/** Said again, or by two at once, it is so once; what somebody's log has is nobody's to dismiss. */
export async function dismissUnmatched(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<DismissResult> {
  const message = await lockMessage(trx, id);
  if (message.customer_id !== null)
    throw conflict(`It belongs to customer ${message.customer_id}; take that back first`);
  const dismissed = await store.dismiss(trx, message, { by: actor.sub, at: deps.now() });
  return settled(deps, trx, id, { change: 'dismissed', records: dismissed, actor });
}

/** What waits already, or was linked since, waits or stays as it is. */
export async function restoreUnmatched(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<DismissResult> {
  const restored = await store.restore(trx, await lockMessage(trx, id));
  return settled(deps, trx, id, { change: 'restored', records: restored, actor });
}

interface Settled {
  change: 'dismissed' | 'restored';
  records: readonly string[];
  actor: Actor;
}

async function settled(deps: Deps, trx: Trx, id: string, { change, records, actor }: Settled): Promise<DismissResult> {
  const at = deps.now();
  const entry = { change, actor: actor.sub, at, details: {} };
  await rememberChanges(
    trx,
    records.map((communication_id) => ({ ...entry, communication_id })),
  );
  await announceChange(deps, trx, change, at, await toldRecords(trx, records));
  const stored = await existing(trx, id);
  const [unmatched] = await withCandidates(trx, [stored]);
  return { unmatched: unmatched as Unmatched, together: await store.togetherWith(trx, stored) };
}

async function existing(db: Db | Trx, id: string): Promise<StoredUnmatched> {
  const found = await store.findUnmatched(db, id);
  if (!found) throw notFound(`There is no unmatched message ${id}`);
  return found;
}

/** The sender first, by all it is known by, as whoever takes in its messages does; then the message as it is now. */
async function lockMessage(trx: Trx, id: string): Promise<StoredUnmatched> {
  const found = await existing(trx, id);
  const taught = found.link_id === null ? [] : await store.taughtBy(trx, found.link_id);
  await lockKeys(trx, [`sender:${found.type}:${found.sender_key}`, ...found.keys, ...taught.map(keyOf)]);
  return (await store.findUnmatched(trx, id)) ?? found;
}

async function resultOf(trx: Trx, id: string, linkId: string | null): Promise<LinkResult> {
  const [unmatched] = await withCandidates(trx, [(await store.findUnmatched(trx, id)) as StoredUnmatched]);
  const moved = linkId === null ? [] : await store.lockLinked(trx, linkId);
  const identifier_learned = linkId !== null && (await store.isLearnedBy(trx, linkId));
  return { unmatched: unmatched as Unmatched, moved, identifier_learned };
}
