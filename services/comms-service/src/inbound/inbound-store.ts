import { rows, type Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import { renewalsOf } from '../records/record-columns.ts';
import type { FileToFetch, InboundRecord, Known } from './inbound.rules.ts';

/** What a record had before, of which the message itself says nothing. */
export type Stand = Pick<InboundRecord, 'id' | 'customer_id' | 'status'> & {
  renewal_id: string | null;
  renewal_ids: string[];
  in_reply_to: string | null;
};

/**
 * Gives back those that were not there yet, or only as the history has them: these are now as they came by themselves. Whose
 * they are and how far they came stays. In the order of those whom they are of, so that two that write to the same wait for each other.
 */
export async function insertRecords(
  trx: Trx,
  records: readonly (InboundRecord & { home: string | null })[],
): Promise<Stand[]> {
  return rows<Stand>(
    trx,
    `INSERT INTO communications AS c
       (id, customer_id, type, direction, subject, body, quoted, unread, status, provider, provider_message_id,
        automatic, recipient, reply_to, sender_verified, attempt, phone_app, imported, forwarded, group_id, sender,
        placed_by, contacts, place, occurred_at, claimed_at, received_at, created_at)
     SELECT r.id, r.customer_id, r.type, r.direction, r.subject, r.body, r.quoted, r.unread, r.status, r.provider,
            r.provider_message_id, r.automatic, r.recipient, r.reply_to, r.sender_verified, r.attempt, r.phone_app,
            r.imported, r.forwarded, r.group_id, r.sender, r.placed_by, r.contacts, r.place, r.occurred_at, r.claimed_at, r.received_at,
            r.created_at
     FROM jsonb_to_recordset(CAST(:records AS jsonb)) AS r
       (id uuid, customer_id text, type text, direction text, subject text, body text, quoted text, unread boolean,
        status text, provider text, provider_message_id text, automatic boolean, recipient text, reply_to text,
        sender_verified text, attempt integer, phone_app boolean, imported boolean, forwarded boolean, group_id text,
        sender jsonb, placed_by uuid, contacts jsonb, place jsonb, occurred_at timestamptz, claimed_at timestamptz,
        received_at timestamptz, created_at timestamptz, home text)
     ORDER BY r.home COLLATE "C", r.occurred_at, r.id
     ON CONFLICT (id) DO UPDATE
        SET imported = false, automatic = excluded.automatic, unread = excluded.unread, body = excluded.body,
            recipient = excluded.recipient, forwarded = excluded.forwarded, group_id = excluded.group_id,
            sender = excluded.sender, contacts = excluded.contacts, place = excluded.place, occurred_at = excluded.occurred_at, claimed_at = excluded.claimed_at,
            received_at = excluded.received_at, redacted_at = NULL
      WHERE c.imported AND NOT excluded.imported
     RETURNING c.id, c.customer_id, c.status, c.renewal_id, ${renewalsOf('c')} AS renewal_ids, c.in_reply_to`,
    { records: JSON.stringify(records) },
  );
}

export interface Named extends Known {
  type: string;
  provider_message_id: string;
}

/** Records that have one of these ids of the provider. */
export async function recordsNamed(trx: Trx, externalIds: readonly string[]): Promise<Named[]> {
  return trx<Named>('communications')
    .whereIn('provider_message_id', [...externalIds])
    .orderBy('id')
    .select('id', 'type', 'provider_message_id', 'imported', 'direction');
}

/** Which of them have files. */
export async function recordsWithFiles(trx: Trx, records: readonly string[]): Promise<Set<string>> {
  const found = await trx<{ communication_id: string }>('attachments')
    .whereIn('communication_id', [...records])
    .select('communication_id');
  return new Set(found.map(({ communication_id }) => communication_id));
}

/** Gives records of the history the words that come with their files; answers which of them had no files yet. */
export async function fillIn(trx: Trx, words: readonly { id: string; body: string }[]): Promise<string[]> {
  const filled = await rows<{ id: string }>(
    trx,
    `UPDATE communications c SET body = w.body
     FROM jsonb_to_recordset(CAST(:words AS jsonb)) AS w (id uuid, body text)
     WHERE c.id = w.id AND c.imported AND c.redacted_at IS NULL
       AND NOT EXISTS (SELECT FROM attachments a WHERE a.communication_id = c.id)
     RETURNING c.id`,
    { words: JSON.stringify(words) },
  );
  return filled.map(({ id }) => id);
}

export async function insertFiles(trx: Trx, files: readonly FileToFetch[], now: Date): Promise<void> {
  if (files.length === 0) return;
  const waiting = { state: 'PENDING', next_try_at: now, created_at: now };
  await trx('attachments').insert(files.map((file) => ({ id: uuidv7(), ...file, ...waiting })));
}
