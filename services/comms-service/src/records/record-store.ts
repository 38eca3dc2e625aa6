import type { Communication } from '@ops/contracts/resources/communication';
import { type Db, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from './communication-events.ts';
import type { HeldRecord, NewRecord } from './record.rules.ts';
import { COLUMNS, TOLD_COLUMNS } from './record-columns.ts';

/** One statement however many, in the order given. By their ids. */
export async function insertNew(trx: Trx, records: readonly NewRecord[]): Promise<Map<string, Communication>> {
  const inserted = await rows<Communication>(
    trx,
    `INSERT INTO communications AS c
       (id, customer_id, type, direction, subject, body, mentions, in_reply_to, renewal_id, other_renewal_ids, unread, status, attempt,
        automated, template, author, created_by, send_after, send_after_reason, occurred_at, received_at, created_at)
     SELECT id, customer_id, type, direction, subject, body, mentions, in_reply_to, renewal_ids[1], coalesce(renewal_ids[2:], '{}'),
            unread, status, attempt, automated, template, author, created_by, send_after, send_after_reason, occurred_at, received_at,
            created_at
     FROM jsonb_to_recordset(CAST(:records AS jsonb)) AS r (
       id uuid, customer_id text, type text, direction text, subject text, body text, mentions text[], in_reply_to uuid,
       renewal_ids uuid[], unread boolean, status text, attempt integer, automated boolean, template jsonb, author text,
       created_by text, send_after timestamptz, send_after_reason jsonb, occurred_at timestamptz, received_at timestamptz,
       created_at timestamptz)
     RETURNING ${COLUMNS}`,
    { records: JSON.stringify(records) },
  );
  return new Map(inserted.map((record) => [record.id, record]));
}

/** Which of these ids a record has. */
export async function loggedAmong(trx: Trx, ids: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(trx, 'SELECT id FROM communications WHERE id = ANY (CAST(:ids AS uuid[]))', {
    ids,
  });
  return new Set(found.map(({ id }) => id));
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
