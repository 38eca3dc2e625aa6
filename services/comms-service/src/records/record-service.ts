import type { Envelope } from '@ops/contracts/envelope';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound } from '@ops/service-kit/errors';
import type { Deps } from '../deps.ts';
import { type AnybodysRecord, communicationChanged } from './communication-events.ts';
import { type HeldRecord, isPlaced } from './record.rules.ts';
import { findRecord, lockRecords } from './record-store.ts';

export { listHistory, rememberChanges } from './history-store.ts';
export { externalsOf, portionsOfItems } from './item-store.ts';
export {
  changeRecord,
  findRecord,
  findRecords,
  idOfRecord,
  insertNew,
  loggedAmong,
  toldRecords,
} from './record-store.ts';

type Change = 'moved' | 'struck' | 'status' | 'attachment' | 'amended' | 'unlinked' | 'dismissed' | 'restored';

/** The record as each customer concerned sees it: one, or the one it left and the one it came to. */
export async function announceChange(
  { outbox }: Deps,
  trx: Trx,
  change: Change,
  at: Date,
  seen: readonly AnybodysRecord[],
  /** What each follows from, by its id, where several were handled together. */
  causes?: ReadonlyMap<string, Envelope>,
) {
  await outbox.addMany(
    trx,
    seen.map((record) => ({
      type: 'communication.changed',
      data: communicationChanged(record, change, at.toISOString()),
      cause: causes?.get(record.id),
    })),
  );
}

/** Answers 404 for what is no record; a message nobody could place yet is one. */
export async function requireRecord(db: Db | Trx, id: string): Promise<HeldRecord> {
  const record = await findRecord(db, id);
  if (!record) throw noCommunication(id);
  return record;
}

/** Holds a record for a change, which only one in somebody's log can have. */
export async function lockPlaced(trx: Trx, id: string): Promise<Communication> {
  const [record] = await lockRecords(trx, [id]);
  if (!record) throw noCommunication(id);
  if (!isPlaced(record)) throw conflict('Nobody knows yet whose message this is; link it to its customer first');
  return record;
}

const noCommunication = (id: string) => notFound(`There is no communication ${id}`);
