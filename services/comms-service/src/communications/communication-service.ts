import type { Trace } from '@ops/bus/trace';
import type {
  Communication,
  CommunicationListQuery,
  CreateCommunication,
  MarkRead,
  MarkUnread,
} from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import { unknownOf, withoutAgents } from '@ops/following/agent-service';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, forbidden, tooManyRequests, unprocessable } from '@ops/service-kit/errors';
import { lockKeys } from '@ops/service-kit/lock-keys';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { holdAll, holdHome, holdHomes, readHome } from '../aliases/alias-service.ts';
import { tooMuch } from '../attachments/attachment.rules.ts';
import { useUploads } from '../attachments/attachment-service.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import type { Deps } from '../deps.ts';
import { carryOptOuts, fileNew, heedOptOuts, type Tied, tieToAnswered } from '../filing/filing-service.ts';
import { decisionOf } from '../filing/opt-out.rules.ts';
import type { NewRecord } from '../records/record.rules.ts';
import {
  announceChange,
  changeRecord,
  findRecord,
  listHistory,
  lockPlaced,
  rememberChanges,
  requireRecord,
} from '../records/record-service.ts';
import { moveLines, tellRenewals } from '../timeline/timeline-service.ts';
import { announceMarked, announceMentions, announceNew, type Ours } from './announcing-service.ts';
import {
  type Answered,
  countsOfFilters,
  decideMove,
  isTooFar,
  mayStrike,
  mayWrite,
  newRecord,
  shownTo,
  typeOfFilter,
  type Wanted,
} from './communication.rules.ts';
import * as store from './communication-store.ts';
import { mayAnswer, takeFrom } from './thread.rules.ts';
import { writeRecords } from './writing-service.ts';

export interface Posted extends Wanted {
  /** The one it is told in, where several are handled together. */
  trace?: Trace;
}

/** All of them, as they are told, or none. Of several each is of another customer; unless it `mayWait`, none is of one whom somebody holds. */
export async function createCommunications(
  deps: Deps,
  trx: Trx,
  wanted: readonly Posted[],
  mayWait = true,
): Promise<Communication[]> {
  for (const { actor, input } of wanted)
    if (!mayWrite(actor, input.type)) throw forbidden(`Role ${actor.role} does not write ${input.type}`);
  const ids = wanted.map(({ customerId }) => customerId);
  const homes = await holdAll(trx, ids, mayWait);
  if (new Set(homes.values()).size < wanted.length) throw conflict('Two of these are of one customer');
  const now = deps.now();
  const records: NewRecord[] = [];
  for (const one of wanted)
    records.push(await recordOf(deps, trx, one, homes.get(one.customerId) ?? one.customerId, now));
  const written = await writeRecords(trx, records, homes);
  const ours: (Ours & Posted)[] = [];
  for (const [n, one] of wanted.entries()) {
    const record = written[n];
    if (record) ours.push({ ...one, record: await attachUploads(trx, record, one.input.attachments ?? []) });
  }
  const said = await file(
    deps,
    trx,
    ours.filter(({ record }) => record.direction === 'INBOUND'),
  );
  const told = ours.filter(({ record }) => record.direction !== 'INBOUND');
  if (told.length > 0) await announceNew(deps, trx, told, now);
  // Their tasks are written under the id that the note is, and go along with it.
  for (const { record, customerId } of told) await announceMentions(deps, trx, { ...record, customer_id: customerId });
  return ours.map(({ record }) => ({ ...record, ...said.get(record.id) }));
}

async function recordOf(deps: Deps, trx: Trx, { customerId, input, actor }: Wanted, home: string, now: Date) {
  const answered = await findAnswered(trx, home, input);
  refuseTooFar(now, input.send_after);
  if (input.direction === 'OUTBOUND' && actor.role === 'automation') await refuseTooMany(deps, trx, home, actor, now);
  if (input.occurred_at && Date.parse(input.occurred_at) > now.getTime())
    throw unprocessable([{ path: 'occurred_at', message: 'must not be in the future' }]);
  const named = { ...input, mentions: await mentionedIn(deps, trx, input, actor) };
  return newRecord(uuidv7(), customerId, named, answered, actor, now);
}

/** Nobody is told of what they wrote themselves. */
async function mentionedIn(deps: Deps, trx: Trx, { mentions = [] }: CreateCommunication, { sub }: Actor) {
  const others = new Set(mentions.filter((id) => id !== sub));
  const unknown = await unknownOf(deps, trx, [...others]).catch(withoutAgents);
  const problems = mentions.flatMap((id, n) =>
    unknown.has(id) ? [{ path: `mentions.${n}`, message: 'is not a known agent' }] : [],
  );
  if (problems.length > 0) throw unprocessable(problems);
  return [...others];
}

/** A customer's words go the same way, and decide the same, whether a provider brought them or one of us wrote them down. */
async function file(deps: Deps, trx: Trx, said: readonly Ours[]) {
  if (said.length === 0) return new Map<string, Tied>();
  const tied = await fileNew(
    deps,
    trx,
    said.map((one) => ({ ...one, answers: [], waiting: [] })),
  );
  const decided = said.flatMap(({ record }) => decisionOf(record));
  await announceCustomers(deps, trx, await heedOptOuts(trx, decided));
  return new Map(tied.map((one) => [one.id, one]));
}

/** Nobody remembers by then what they meant. */
export function refuseTooFar(now: Date, at: string | null | undefined): void {
  if (at && isTooFar(now, at)) throw unprocessable([{ path: 'send_after', message: 'must be within a year from now' }]);
}

const hourMs = 3_600_000;

/** A program in a loop must not write to somebody all night. */
async function refuseTooMany({ automatedSendsAnHour: most }: Deps, trx: Trx, home: string, { sub }: Actor, now: Date) {
  await lockKeys(trx, [`automated sends ${sub} ${home}`]);
  const since = new Date(now.getTime() - hourMs);
  const oldest = await store.createdOf(trx, { customerId: home, by: sub, since, nth: most });
  if (oldest === undefined) return;
  const seconds = Math.ceil((oldest.getTime() - since.getTime()) / 1_000);
  throw tooManyRequests(
    Math.max(1, seconds),
    `${most} messages to one customer within an hour are the most for a program`,
  );
}

async function findAnswered(trx: Trx, customerId: string, input: CreateCommunication): Promise<Answered> {
  const answered = input.in_reply_to ? await findRecord(trx, input.in_reply_to) : undefined;
  if (input.in_reply_to && !mayAnswer(answered, customerId, input.type))
    throw unprocessable([{ path: 'in_reply_to', message: `is not a ${input.type} of this customer` }]);
  return takeFrom(answered, input);
}

/** A file goes out once, to whom it was uploaded for: what it holds is one customer's business. */
async function attachUploads(trx: Trx, record: Communication, ids: readonly string[]): Promise<Communication> {
  if (ids.length === 0) return record;
  const used = await useUploads(trx, record.customer_id, record.id, ids);
  const problems = ids.flatMap((id, n) =>
    used.some((file) => file.id === id.toLowerCase())
      ? []
      : [{ path: `attachments.${n}`, message: 'is not a file uploaded for this customer and yet to be sent' }],
  );
  const sizes = used.map(({ size }) => size);
  if (tooMuch(record.type, sizes)) problems.push({ path: 'attachments', message: 'are more than one e-mail takes' });
  if (problems.length > 0) throw unprocessable(problems);
  return lockPlaced(trx, record.id);
}

export async function listCommunications(db: Db, customerId: string, query: CommunicationListQuery, reader: Actor) {
  if (reader.role === 'customer' && reader.sub !== customerId)
    throw forbidden('Customers read their own communications alone');
  if (reader.role === 'customer' && query.q !== undefined) throw forbidden('Customers read, and do not search');
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const listed = async (home: string) => {
    if (reader.role === 'customer' && reader.sub !== home)
      throw forbidden('This id is no customer of its own any more');
    return store.listRecords(db, {
      customerId: home,
      reader,
      filterType: typeOfFilter(query.filter),
      asked: query,
      after: position && { occurredAt: position[0], id: position[1] },
      limit: query.limit + 1,
    });
  };
  const found = await readHome(db, customerId, listed);
  const page = toPage(found.records, query.limit, (record) => [record.occurred_at, record.id]);
  return { ...page, data: page.data.map((record) => shownTo(reader, record)), unread_count: found.unread_count };
}

export async function countCommunications(db: Db, customerId: string, q: string | undefined) {
  return countsOfFilters(await readHome(db, customerId, (home) => store.countByType(db, home, q)));
}

export async function markCommunicationsRead(deps: Deps, trx: Trx, asked: string, { up_to }: MarkRead) {
  const customerId = await holdHome(trx, asked);
  if (up_to !== undefined && !(await store.isRecordOf(trx, customerId, up_to)))
    throw unprocessable([{ path: 'up_to', message: 'is not a communication of this customer' }]);
  const read = await store.markRead(trx, customerId, up_to);
  await announceMarked(deps, trx, 'read', customerId, read);
  return { customer_id: customerId, marked_read: read.length, unread_count: await store.countUnread(trx, customerId) };
}

export async function markCommunicationsUnread(deps: Deps, trx: Trx, asked: string, { from }: MarkUnread) {
  const customerId = await holdHome(trx, asked);
  if (!(await store.isRecordOf(trx, customerId, from)))
    throw unprocessable([{ path: 'from', message: 'is not a communication of this customer' }]);
  const unread = await store.markUnread(trx, customerId, from);
  await announceMarked(deps, trx, 'unread', customerId, unread);
  const unread_count = await store.countUnread(trx, customerId);
  return { customer_id: customerId, marked_unread: unread.length, unread_count };
}

/**
 * Refiles a record. Its ties to the other customer's records and renewals stay behind, and are remembered in its
 * history.
 */
export async function moveCommunication(deps: Deps, trx: Trx, id: string, target: string, actor: Actor) {
  const before = (await findRecord(trx, id))?.customer_id;
  const home = (await holdHomes(trx, [target, ...(before ? [before] : [])])).get(target);
  const record = await lockPlaced(trx, id);
  if (home === undefined) throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  const decision = decideMove(record, home);
  if (decision === 'same') return record;
  if (decision === 'sent') throw conflict('An outbound communication went to its customer, and stays there');
  const at = deps.now();
  const moved = await refile(trx, record, target, at);
  const { customer_id: from, renewal_id, renewal_ids, in_reply_to } = record;
  const details = { from, to: target, renewal_id, renewal_ids, in_reply_to };
  await rememberChanges(trx, [{ communication_id: id, change: 'moved', actor: actor.sub, at, details }]);
  await announceChange(deps, trx, 'moved', at, [record, moved]);
  if (await carryOptOuts(trx, [id])) await announceCustomers(deps, trx, [from, target]);
  return moved;
}

/** It is tied to what it answers in the log it comes to, as if it had come there at first. */
async function refile(trx: Trx, { id }: Communication, target: string, at: Date): Promise<Communication> {
  const ties = { renewal_id: null, other_renewal_ids: [], in_reply_to: null };
  const untiedRecord = await changeRecord(trx, id, { ...ties, customer_id: target, filed_at: at, placed_by: null });
  const [tied] = await tieToAnswered(trx, [id]);
  const moved = { ...untiedRecord, ...tied };
  await moveLines(trx, id);
  await tellRenewals(trx, [{ id, renewal_id: moved.renewal_id }]);
  return moved;
}

export async function strikeCommunication(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<Communication> {
  const record = await lockPlaced(trx, id);
  if (!mayStrike(record)) throw conflict('Only notes and call logs are struck out');
  if (record.struck) return record;
  const struck = await changeRecord(trx, id, { struck: true });
  const at = deps.now();
  await rememberChanges(trx, [{ communication_id: id, change: 'struck', actor: actor.sub, at, details: {} }]);
  await announceChange(deps, trx, 'struck', at, [struck]);
  return struck;
}

/** The history of a record, also of a message nobody could place yet. */
export async function listCommunicationHistory(
  db: Db,
  id: string,
  query: { limit: number; cursor?: string | undefined },
) {
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  await requireRecord(db, id);
  const after = position && { at: position[0], id: position[1] };
  return toPage(await listHistory(db, id, after, query.limit + 1), query.limit, (entry) => [entry.at, entry.id]);
}
