import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { FileToFetch, InboundRecord } from './inbound.rules.ts';

/** The ids of those that were not there yet. */
export async function insertRecords(trx: Trx, records: readonly InboundRecord[]): Promise<string[]> {
  const { rows } = await trx.raw(
    `INSERT INTO communications
       (id, customer_id, type, direction, subject, body, quoted, unread, status, provider, provider_message_id,
        sender, placed_by, occurred_at, received_at, created_at)
     SELECT r.id, r.customer_id, r.type, 'INBOUND', r.subject, r.body, r.quoted, true, 'RECEIVED', r.provider,
            r.provider_message_id, r.sender, r.placed_by, r.occurred_at, r.received_at, r.created_at
     FROM jsonb_to_recordset(CAST(:records AS jsonb)) AS r
       (id uuid, customer_id text, type text, subject text, body text, quoted text, provider text,
        provider_message_id text, sender jsonb, placed_by uuid, occurred_at timestamptz, received_at timestamptz, created_at timestamptz)
     ON CONFLICT (id) DO NOTHING
     RETURNING id`,
    { records: JSON.stringify(records) },
  );
  return rows.map((row: { id: string }) => row.id);
}

export async function insertFiles(trx: Trx, files: readonly FileToFetch[], now: Date): Promise<void> {
  if (files.length === 0) return;
  const waiting = { state: 'PENDING', next_try_at: now, created_at: now };
  await trx('attachments').insert(files.map((file) => ({ id: uuidv7(), ...file, ...waiting })));
}
