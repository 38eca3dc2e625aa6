import type { FoundCommunication } from '@ops/contracts/resources/search';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';

interface FoundPosition {
  occurredAt: string;
  id: string;
}

export interface FoundRow extends Omit<FoundCommunication, 'snippet'> {
  subject: string | null;
  body: string;
  edits: string[];
}

/** So many are put in order at most, and of more than that so many of the newest are looked through. */
const most = 5_000;
const mostOfTheNewest = 2_000;

/**
 * Those that have the words are found by `communication_words_found`, and then put in order, which no index over words
 * can. Where they are too many for that, the newest are looked through besides: of a common word somebody wants those.
 */
const FOUND = `
  anywhere AS MATERIALIZED (
    SELECT w.communication_id AS id FROM communication_words w WHERE w.words @@ words_asked(:q) LIMIT ${most + 1}
  ), found AS (
    SELECT id FROM anywhere
    UNION
    SELECT n.id FROM (
      SELECT w.communication_id AS id, w.words FROM communication_words w
      WHERE w.communication_id > '00000000-0000-0000-0000-000000000000'
      ORDER BY w.communication_id DESC LIMIT ${mostOfTheNewest}
    ) n
    WHERE (SELECT count(*) FROM anywhere) > ${most} AND n.words @@ words_asked(:q)
  )`;

export async function findByWords(
  db: Db,
  q: string,
  after: FoundPosition | undefined,
  limit: number,
): Promise<{ isPartial: boolean; found: FoundRow[] }> {
  const listed = await rows<{ is_partial: boolean } & (FoundRow | { id: null })>(
    db,
    `WITH ${FOUND}
     SELECT (SELECT count(*) FROM anywhere) > ${most} AS is_partial, page.*
     FROM (SELECT) one LEFT JOIN LATERAL (
       SELECT c.id, c.customer_id, k.name AS customer_name,
              coalesce(m.name, m.phone, m.email, m.address) AS sender, c.type, c.direction, c.author, c.subject, c.body,
              utc_text(c.occurred_at) AS occurred_at,
              ARRAY(SELECT e ->> 'body' FROM jsonb_array_elements(c.amendments) e WHERE e ->> 'body' <> '') AS edits
       FROM found f JOIN communications c ON c.id = f.id LEFT JOIN customers k ON k.id = c.customer_id
       LEFT JOIN inbound_messages m ON m.communication_id = c.id AND c.customer_id IS NULL
       WHERE CAST(:after_at AS timestamptz) IS NULL
          OR (c.occurred_at, c.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid))
       ORDER BY c.occurred_at DESC, c.id DESC LIMIT :limit
     ) page ON true
     ORDER BY page.occurred_at DESC, page.id DESC`,
    { q, after_at: after?.occurredAt ?? null, after_id: after?.id ?? null, limit },
  );
  return { isPartial: listed[0]?.is_partial ?? false, found: listed.flatMap(foundOf) };
}

const foundOf = ({ is_partial: _, ...row }: { is_partial: boolean } & (FoundRow | { id: null })) =>
  row.id === null ? [] : [row];

/** From where down words are still to come; held by whoever writes them. Undefined: none are, or somebody else is at it. */
export async function takeWordsToCome(trx: Trx): Promise<string | undefined> {
  const row = await firstRow<{ before: string }>(trx, 'SELECT before FROM words_to_come FOR UPDATE SKIP LOCKED', {});
  return row?.before;
}

/** Answers how many were looked at. What changes meanwhile is waited for: else the words of before would be written over it. */
export async function writeWords(trx: Trx, before: string, limit: number): Promise<number> {
  const { count } = await oneRow<{ count: number }>(
    trx,
    `WITH next AS MATERIALIZED (
       SELECT c.id, c.subject, c.body, c.amendments, c.struck FROM communications c
       WHERE c.id IN (SELECT n.id FROM communications n WHERE n.id < CAST(:before AS uuid) ORDER BY n.id DESC LIMIT :limit)
       ORDER BY c.id FOR SHARE
     ), written AS (
       INSERT INTO communication_words
       SELECT n.id, w.words FROM next n
       CROSS JOIN LATERAL (SELECT words_of_record(n.subject, n.body, n.amendments, n.struck) AS words) w
       WHERE w.words <> '' ON CONFLICT DO NOTHING
     ), moved AS (
       UPDATE words_to_come SET before = (SELECT id FROM next ORDER BY id LIMIT 1) WHERE EXISTS (SELECT FROM next)
     )
     SELECT count(*)::int AS count FROM next`,
    { before, limit },
  );
  return count;
}

export async function endWordsToCome(trx: Trx): Promise<void> {
  await execute(trx, 'DELETE FROM words_to_come', {});
}
