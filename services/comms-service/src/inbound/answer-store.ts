import type { Trx } from '@ops/service-kit/database';
import type { Answer } from './inbound.ts';

export async function insertAnswers(trx: Trx, answers: readonly Answer[]): Promise<void> {
  if (answers.length > 0) await trx('answers').insert([...answers]);
}

export interface Tied {
  id: string;
  in_reply_to: string | null;
  renewal_id: string | null;
}

/**
 * Ties inbound records to what they answer, and to the renewal that is about: that of a record they answer, else that
 * of the only alert their customer got on that channel in the 30 days before. What answers another customer's record is
 * not tied to it. Gives back those it changed.
 */
export async function tieToAnswered(trx: Trx, ids: readonly string[]): Promise<Tied[]> {
  if (ids.length === 0) return [];
  const { rows } = await trx.raw(
    `WITH mine AS (
       SELECT c.id, c.customer_id, c.type, c.occurred_at, c.received_at, c.in_reply_to, c.renewal_id
       FROM communications c
       WHERE c.id = ANY (CAST(:ids AS uuid[])) AND c.customer_id IS NOT NULL AND c.direction = 'INBOUND'
     ), answered AS (
       SELECT m.id, a.position, o.id AS record, o.renewal_id
       FROM mine m JOIN answers a ON a.communication_id = m.id
       JOIN communications o ON o.provider_message_id = a.external_id
         AND o.customer_id = m.customer_id AND o.type = m.type AND o.id <> m.id
       UNION ALL
       SELECT m.id, a.position, o.id, o.renewal_id
       FROM mine m JOIN answers a ON a.communication_id = m.id
       JOIN communications o ON o.id = a.record_id
         AND o.customer_id = m.customer_id AND o.type = m.type AND o.id <> m.id
     ), tied AS (
       SELECT m.id,
         coalesce((SELECT x.record FROM answered x WHERE x.id = m.id ORDER BY x.position, x.record LIMIT 1),
                  m.in_reply_to) AS in_reply_to,
         coalesce((SELECT x.renewal_id FROM answered x WHERE x.id = m.id AND x.renewal_id IS NOT NULL
                   ORDER BY x.position, x.record LIMIT 1),
                  m.renewal_id,
                  (SELECT CASE WHEN count(DISTINCT r.renewal_id) = 1 THEN (array_agg(r.renewal_id))[1] END
                   FROM communications r
                   WHERE r.customer_id = m.customer_id AND r.type = m.type AND r.direction = 'OUTBOUND'
                     AND r.renewal_id IS NOT NULL AND r.status NOT IN ('FAILED', 'CANCELLED')
                     AND r.occurred_at <= m.received_at AND r.occurred_at > m.occurred_at - interval '30 days')
         ) AS renewal_id
       FROM mine m
     )
     UPDATE communications c SET in_reply_to = t.in_reply_to, renewal_id = t.renewal_id
     FROM tied t
     WHERE c.id = t.id AND (c.in_reply_to, c.renewal_id) IS DISTINCT FROM (t.in_reply_to, t.renewal_id)
     RETURNING c.id, c.in_reply_to, c.renewal_id`,
    { ids: [...ids] },
  );
  return rows;
}

/** Which messages name one of these records by the provider's id. */
export async function answersTo(trx: Trx, records: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw(
    `SELECT DISTINCT a.communication_id AS id
     FROM communications o JOIN answers a ON a.external_id = o.provider_message_id
     WHERE o.id = ANY (CAST(:records AS uuid[]))`,
    { records: [...records] },
  );
  return rows.map((row: { id: string }) => row.id);
}
