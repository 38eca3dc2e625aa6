import type { Communication } from '@ops/contracts/resources/communication';
import { rows, type Trx } from '@ops/service-kit/database';
import type { NewRecord } from '../records/record.rules.ts';
import { COLUMNS } from '../records/record-columns.ts';

/** Which of these were logged before. */
export async function loggedAmong(trx: Trx, ids: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(trx, 'SELECT id FROM communications WHERE id = ANY (CAST(:ids AS uuid[]))', {
    ids,
  });
  return new Set(found.map(({ id }) => id));
}

/** One statement however many; what nobody wrote has neither author nor template. By their ids. */
export async function insertPlanned(trx: Trx, records: readonly NewRecord[]): Promise<Map<string, Communication>> {
  const inserted = await rows<Communication>(
    trx,
    `INSERT INTO communications AS c
       (id, customer_id, type, direction, subject, body, renewal_id, other_renewal_ids, unread, status, attempt, automated,
        created_by, send_after, send_after_reason, occurred_at, created_at)
     SELECT id, customer_id, type, direction, subject, body, renewal_ids[1], coalesce(renewal_ids[2:], '{}'), unread, status,
            attempt, automated, created_by, send_after, send_after_reason, occurred_at, created_at
     FROM jsonb_to_recordset(CAST(:records AS jsonb)) AS r (
       id uuid, customer_id text, type text, direction text, subject text, body text, renewal_ids uuid[], unread boolean,
       status text, attempt integer, automated boolean, created_by text, send_after timestamptz, send_after_reason jsonb,
       occurred_at timestamptz, created_at timestamptz)
     ORDER BY customer_id, id
     RETURNING ${COLUMNS}`,
    { records: JSON.stringify(records) },
  );
  return new Map(inserted.map((record) => [record.id, record]));
}
