import type {
  Communication,
  CommunicationListQuery,
  CreateCommunication,
  MarkRead,
} from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, forbidden, notFound, unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { requireCustomer } from '../customers/customer-service.ts';
import { customerExists } from '../customers/customer-store.ts';
import type { Deps } from '../deps.ts';
import { moveLines } from '../timeline/timeline-store.ts';
import { announceChange, announceNew, announceRead } from './announce.ts';
import { decideMove, mayStrike, mayWrite, newRecord, shownTo, typeOfFilter } from './communication.ts';
import * as store from './communication-store.ts';

export async function createCommunication(
  deps: Deps,
  trx: Trx,
  customerId: string,
  input: CreateCommunication,
  actor: Actor,
): Promise<Communication> {
  if (!mayWrite(actor, input.type)) throw forbidden(`Role ${actor.role} does not write ${input.type}`);
  await requireCustomer(trx, customerId);
  const now = deps.now();
  const record = await store.insertRecord(trx, newRecord(uuidv7(), customerId, input, actor, now));
  await announceNew(deps, trx, record, now);
  return record;
}

export async function createNote(deps: Deps, trx: Trx, customerId: string, body: string, actor: Actor) {
  return createCommunication(deps, trx, customerId, { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body }, actor);
}

export async function listCommunications(db: Db, customerId: string, query: CommunicationListQuery, reader: Actor) {
  if (reader.role === 'customer' && reader.sub !== customerId)
    throw forbidden('Customers read their own communications alone');
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const found = await store.listRecords(db, {
    customerId,
    reader,
    filterType: typeOfFilter(query.filter),
    asked: query,
    after: position && { occurredAt: position[0], id: position[1] },
    limit: query.limit + 1,
  });
  if (!found) throw notFound(`There is no customer ${customerId}`);
  const page = toPage(found.records, query.limit, (record) => [record.occurred_at, record.id]);
  return { ...page, data: page.data.map((record) => shownTo(reader, record)), unread_count: found.unread_count };
}

export async function markCommunicationsRead(deps: Deps, trx: Trx, customerId: string, { up_to }: MarkRead) {
  await requireCustomer(trx, customerId);
  if (up_to !== undefined && !(await store.isRecordOf(trx, customerId, up_to)))
    throw unprocessable([{ path: 'up_to', message: 'is not a communication of this customer' }]);
  const read = await store.markRead(trx, customerId, up_to);
  await announceRead(deps, trx, customerId, read);
  return { customer_id: customerId, marked_read: read.length, unread_count: await store.countUnread(trx, customerId) };
}

/** Its ties to the other customer's records and renewals stay behind, and are remembered in its history. */
export async function moveCommunication(deps: Deps, trx: Trx, id: string, target: string, actor: Actor) {
  const record = await lockRecord(trx, id);
  if (!(await customerExists(trx, target)))
    throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  const decision = decideMove(record, target);
  if (decision === 'same') return record;
  if (decision === 'sent') throw conflict('An outbound communication went to its customer, and stays there');
  const moved = await store.changeRecord(trx, id, { customer_id: target, renewal_id: null, in_reply_to: null });
  await moveLines(trx, id, target);
  const { customer_id: from, renewal_id, in_reply_to } = record;
  const at = deps.now();
  await remember(trx, 'moved', id, actor, at, { from, to: target, renewal_id, in_reply_to });
  await announceChange(deps, trx, 'moved', at, [record, moved]);
  return moved;
}

export async function strikeCommunication(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<Communication> {
  const record = await lockRecord(trx, id);
  if (!mayStrike(record)) throw conflict('Only notes and call logs are struck out');
  if (record.struck) return record;
  const struck = await store.changeRecord(trx, id, { struck: true });
  const at = deps.now();
  await remember(trx, 'struck', id, actor, at);
  await announceChange(deps, trx, 'struck', at, [struck]);
  return struck;
}

async function lockRecord(trx: Trx, id: string): Promise<Communication> {
  const record = await store.lockRecord(trx, id);
  if (!record) throw notFound(`There is no communication ${id}`);
  return record;
}

async function remember(
  trx: Trx,
  change: store.HistoryEntry['change'],
  id: string,
  actor: Actor,
  at: Date,
  details: store.HistoryEntry['details'] = {},
): Promise<void> {
  await store.rememberChange(trx, { communication_id: id, change, actor: actor.sub, at, details });
}
