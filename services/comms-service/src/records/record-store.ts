import type { Communication } from '@ops/contracts/resources/communication';
import { type Db, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from './communication-events.ts';
import type { HeldRecord, NewRecord } from './record.rules.ts';
import { COLUMNS, TOLD_COLUMNS } from './record-columns.ts';

export async function insertRecord(trx: Trx, record: NewRecord): Promise<Communication> {
  const [renewal_id = null, ...other_renewal_ids] = record.renewal_ids;
  return oneRow<Communication>(
    trx,
    `INSERT INTO communications AS c
       (id, customer_id, type, direction, subject, body, mentions, in_reply_to, renewal_id, other_renewal_ids, unread, status, attempt, automated,
        template, author, created_by, send_after, send_after_reason, occurred_at, received_at, created_at)
     VALUES (:id, :customer_id, :type, :direction, :subject, :body, :mentions, :in_reply_to, :renewal_id, :other_renewal_ids, :unread,
             :status, :attempt, :automated, :template, :author, :created_by, :send_after, :send_after_reason, :occurred_at, :received_at, :created_at)
     RETURNING ${COLUMNS}`,
    {
      ...record,
      renewal_id,
      other_renewal_ids,
      template: record.template && JSON.stringify(record.template),
      send_after_reason: record.send_after_reason && JSON.stringify(record.send_after_reason),
    },
  );
}

/** Two that change the same records take turns, whatever order they name them in. */
export async function lockRecords(trx: Trx, ids: readonly string[]): Promise<HeldRecord[]> {
  return rows<HeldRecord>(
    trx,
    `SELECT ${COLUMNS} FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[])) ORDER BY c.id FOR UPDATE`,
    { ids },
  );
}

export async function findRecord(db: Db | Trx, id: string): Promise<HeldRecord | undefined> {
  return firstRow<HeldRecord>(db, `SELECT ${COLUMNS} FROM communications c WHERE c.id = :id`, { id });
}

export async function findRecords(db: Db | Trx, ids: readonly string[]): Promise<HeldRecord[]> {
  return rows<HeldRecord>(db, `SELECT ${COLUMNS} FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[]))`, {
    ids,
  });
}

export async function changeRecord(
  trx: Trx,
  id: string,
  change: Partial<
    Omit<
      Communication,
      'id' | 'sender' | 'attachments' | 'has_html' | 'reactions' | 'amendments' | 'filed_at' | 'group' | 'renewal_ids'
    >
  > & {
    other_renewal_ids?: string[];
    filed_at?: Date;
    placed_by?: null;
  },
): Promise<Communication> {
  const [changed] = await trx('communications as c')
    .where({ id })
    .update(change)
    .returning<Communication[]>(trx.raw<Communication>(COLUMNS));
  if (changed === undefined) throw new Error('a record that is to change is gone');
  return changed;
}

/** The id it is written under. */
export async function idOfRecord(trx: Trx, id: string): Promise<string | null> {
  const { under } = await oneRow<{ under: string | null }>(
    trx,
    'SELECT coalesce(written_under, customer_id) AS under FROM communications WHERE id = :id',
    { id },
  );
  return under;
}

/** All that is told of them, in the order they were written. */
export async function toldRecords(trx: Trx, ids: readonly string[]): Promise<AnybodysRecord[]> {
  return rows<AnybodysRecord>(
    trx,
    `SELECT ${TOLD_COLUMNS} FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[])) ORDER BY c.occurred_at, c.id`,
    { ids },
  );
}
