import type { Communication } from '@ops/contracts/resources/communication';
import type { Db, Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from './communication-events.ts';
import type { HeldRecord, NewRecord } from './record.rules.ts';
import { COLUMNS, TOLD_COLUMNS } from './record-columns.ts';

export async function insertRecord(trx: Trx, record: NewRecord): Promise<Communication> {
  const [inserted] = await trx('communications as c').insert(record).returning(trx.raw(COLUMNS));
  return inserted;
}

/** Two that change the same records take turns, whatever order they name them in. */
export async function lockRecords(trx: Trx, ids: readonly string[]): Promise<HeldRecord[]> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[])) ORDER BY c.id FOR UPDATE`,
    { ids },
  );
  return rows;
}

export async function findRecord(db: Db | Trx, id: string): Promise<HeldRecord | undefined> {
  const { rows } = await db.raw(`SELECT ${COLUMNS} FROM communications c WHERE c.id = :id`, { id });
  return rows[0];
}

export async function changeRecord(
  trx: Trx,
  id: string,
  change: Partial<Omit<Communication, 'id' | 'attachments' | 'has_html' | 'reactions' | 'amendments' | 'filed_at'>> & {
    filed_at?: Date;
    placed_by?: null;
  },
): Promise<Communication> {
  const [changed] = await trx('communications as c').where({ id }).update(change).returning(trx.raw(COLUMNS));
  return changed;
}

/** All that is told of them, in the order they were written. */
export async function toldRecords(trx: Trx, ids: readonly string[]): Promise<AnybodysRecord[]> {
  const { rows } = await trx.raw(
    `SELECT ${TOLD_COLUMNS} FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[])) ORDER BY c.occurred_at, c.id`,
    { ids: [...ids] },
  );
  return rows;
}
