import { rows, type Trx } from '@ops/service-kit/database';
import { renewalsOf } from '../records/record-columns.ts';
import type { Answer } from './filed.rules.ts';

/** Of a record that is filed once more the first stay. */
export async function insertAnswers(trx: Trx, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  await trx('answers')
    .insert([...answers])
    .onConflict(['communication_id', 'position'])
    .ignore();
}

export interface Tied {
  id: string;
  in_reply_to: string | null;
  renewal_id: string | null;
  renewal_ids: string[];
}

/**
 * When record `r` left: as its sender told, else not before it fell due. Of one that may have left nobody knows more
 * than that.
 */
const LEFT_AT = `greatest(r.occurred_at, r.send_after,
  (SELECT min(CASE h.details ->> 'status' WHEN 'UNCERTAIN' THEN '-infinity' ELSE h.at END)
   FROM communication_history h
   WHERE h.communication_id = r.id AND h.change = 'delivery'
     AND h.details ->> 'status' IN ('UNCERTAIN', 'SENT', 'DELIVERED', 'READ')))`;

/**
 * What every alert, or letter of alerts, was about that the customer of `m` had got on that channel by the time of writing, in the
 * order of the last: whichever of them is answered, it is about that. That an alert left is often heard later than the answer
 * to it: one that is QUEUED counts from when it fell due. A minute is for clocks that differ.
 */
const ALWAYS_ALERTED = `
  (WITH alerted AS (
     SELECT ${renewalsOf('r')} AS about, row_number() OVER (ORDER BY r.occurred_at DESC, r.id DESC) AS place
     FROM communications r
     WHERE r.customer_id = m.customer_id AND r.type = m.type AND r.direction = 'OUTBOUND'
       AND r.renewal_id IS NOT NULL AND r.status NOT IN ('FAILED', 'CANCELLED')
       AND r.occurred_at > m.occurred_at - interval '30 days'
       AND r.occurred_at <= m.occurred_at + interval '1 minute'
       AND ${LEFT_AT} <= m.occurred_at + interval '1 minute'
   )
   SELECT CAST(array_agg(one.id ORDER BY one.place) AS text)
   FROM alerted last, unnest(last.about) WITH ORDINALITY AS one (id, place)
   WHERE last.place = 1 AND NOT EXISTS (SELECT FROM alerted WHERE one.id <> ALL (alerted.about)))`;

/**
 * Ties inbound records, and what staff wrote on the phone, to what they answer, and to the renewal that is about, if any.
 * Inbound ones that answer nothing we know belong to what each alert was about that their customer got on that channel in the
 * 30 days before; should we come to know what they answer, that decides. What answers another customer's record is not tied
 * to it. Gives back those it changed.
 */
export async function tieToAnswered(trx: Trx, ids: readonly string[]): Promise<Tied[]> {
  const tied = new Map((await tie(trx, ids)).map((one) => [one.id, one]));
  // What answers another of them is about whatever that was just tied to.
  for (const { id, in_reply_to } of tied.values())
    if (in_reply_to !== null && tied.has(in_reply_to)) for (const one of await tie(trx, [id])) tied.set(id, one);
  return [...tied.values()];
}

/**
 * In the order they were written. Each step asks record by record (OFFSET 0 keeps it so), because of a list the plan that is kept
 * knows no length: it would join, and read every record there is.
 */
async function tie(trx: Trx, ids: readonly string[]): Promise<Tied[]> {
  if (ids.length === 0) return [];
  return rows<Tied>(
    trx,
    `WITH asked AS MATERIALIZED (
       SELECT unnest(ARRAY(SELECT unnest(CAST(:ids AS uuid[])))) AS id
     ), mine AS MATERIALIZED (
       SELECT c.* FROM asked CROSS JOIN LATERAL (
         SELECT c.id, c.customer_id, c.type, c.phone_app, c.occurred_at, c.in_reply_to, CAST(${renewalsOf('c')} AS text) AS about
         FROM communications c
         WHERE c.id = asked.id AND c.customer_id IS NOT NULL AND (c.direction = 'INBOUND' OR c.phone_app)
         OFFSET 0) c
     ), named AS MATERIALIZED (
       SELECT m.id, m.customer_id, m.type, a.* FROM mine m CROSS JOIN LATERAL (
         SELECT a.position, a.external_id, a.record_id FROM answers a WHERE a.communication_id = m.id OFFSET 0) a
     ), answered AS (
       SELECT n.id, n.position, o.* FROM named n CROSS JOIN LATERAL (
         SELECT o.id AS record, CAST(${renewalsOf('o')} AS text) AS about
         FROM communications o
         WHERE (o.id = n.record_id OR o.provider_message_id = n.external_id)
           AND o.customer_id = n.customer_id AND o.type = n.type AND o.id <> n.id
         OFFSET 0) o
     ), likeliest AS (
       SELECT x.id, (array_agg(x.record ORDER BY x.position, x.record))[1] AS record,
         (array_agg(x.about ORDER BY x.position, x.record) FILTER (WHERE x.about <> '{}'))[1] AS about
       FROM answered x GROUP BY x.id
     ), tied AS (
       SELECT m.id, coalesce(l.record, m.in_reply_to) AS in_reply_to,
         CAST(coalesce(CASE WHEN l.id IS NOT NULL THEN l.about
                            WHEN m.in_reply_to IS NOT NULL OR m.phone_app OR m.about <> '{}' THEN m.about
                            ELSE ${ALWAYS_ALERTED} END, '{}') AS uuid[]) AS about
       FROM mine m LEFT JOIN likeliest l ON l.id = m.id
     ), changed AS (
       UPDATE communications c SET in_reply_to = t.in_reply_to, renewal_id = t.about[1], other_renewal_ids = t.about[2:]
       FROM tied t
       WHERE c.id = t.id AND c.id = ANY (ARRAY(SELECT id FROM asked))
         AND (c.in_reply_to, ${renewalsOf('c')}) IS DISTINCT FROM (t.in_reply_to, t.about)
       RETURNING c.id, c.in_reply_to, c.renewal_id, ${renewalsOf('c')} AS renewal_ids, c.occurred_at
     )
     SELECT id, in_reply_to, renewal_id, renewal_ids FROM changed ORDER BY occurred_at, id`,
    { ids },
  );
}

/** Which messages name one of these records by the provider's id. */
export async function answersTo(trx: Trx, records: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT DISTINCT a.communication_id AS id
     FROM communications o JOIN answers a ON a.external_id = o.provider_message_id
     WHERE o.id = ANY (CAST(:records AS uuid[]))`,
    { records },
  );
  return found.map(({ id }) => id);
}
