import type { Communication, FailedQuery } from '@ops/contracts/resources/communication';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';
import type { ToldRecord } from '../records/communication-events.ts';
import { COLUMNS, TOLD_COLUMNS } from '../records/record-columns.ts';
import type { DeliveryState } from './delivery.rules.ts';

export type TrackedRecord = ToldRecord & DeliveryState;

/** Never changes. */
export async function typesOf(trx: Trx, ids: readonly string[]): Promise<Map<string, TrackedRecord['type']>> {
  const typed = await trx<TrackedRecord>('communications')
    .whereIn('id', [...ids])
    .select('id', 'type');
  return new Map(typed.map(({ id, type }) => [id, type]));
}

/** Without their words: a batch may hold many. In the order of their ids, so that batches do not deadlock. */
export async function lockTracked(trx: Trx, ids: readonly string[]): Promise<TrackedRecord[]> {
  return rows<TrackedRecord>(
    trx,
    `SELECT ${TOLD_COLUMNS}, c.failure, c.attempt, c.provider, c.provider_message_id,
            utc_text(c.send_after) AS send_after, c.send_after_reason
     FROM communications c WHERE c.id = ANY (CAST(:ids AS uuid[])) ORDER BY c.id FOR UPDATE`,
    { ids },
  );
}

export async function saveTracked(trx: Trx, records: readonly TrackedRecord[]): Promise<void> {
  await execute(
    trx,
    `UPDATE communications c
     SET status = u.status, failure = u.failure, provider = u.provider, provider_message_id = u.provider_message_id,
         send_after = u.send_after, send_after_reason = u.send_after_reason
     FROM jsonb_to_recordset(CAST(:records AS jsonb))
       AS u (id uuid, status text, failure jsonb, provider text, provider_message_id text, send_after timestamptz,
             send_after_reason jsonb)
     WHERE c.id = u.id`,
    { records: JSON.stringify(records) },
  );
}

export interface Attempt {
  id: string;
  attempt: number;
}

/** What somebody holds is waited for, or passed by. */
export type Held = 'waiting' | 'passing';

/**
 * Says of each whether it may leave. Whoever calls one back or changes it holds the row: they come before, and it is another attempt
 * or none, or after, and find it leaving. Of what is passed by nothing is said.
 */
export async function letLeave(db: Db | Trx, attempts: readonly Attempt[], held: Held): Promise<Map<string, boolean>> {
  if (attempts.length === 0) return new Map();
  const found = await rows<{ id: string; leaves: boolean }>(
    db,
    `WITH asked AS (SELECT id, attempt FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS a (id, attempt)),
          free AS (SELECT id FROM communications WHERE id = ANY (CAST(:ids AS uuid[])) ORDER BY id
                   FOR NO KEY UPDATE ${held === 'passing' ? 'SKIP LOCKED' : ''}),
          leaving AS (UPDATE communications c SET leaving = c.attempt FROM free, asked
                      WHERE c.id = free.id AND asked.id = free.id AND c.attempt = asked.attempt AND c.status = 'QUEUED'
                      RETURNING c.id)
     SELECT free.id, EXISTS (SELECT FROM leaving WHERE leaving.id = free.id) AS leaves FROM free`,
    { ids: attempts.map(({ id }) => id), attempts: attempts.map(({ attempt }) => attempt) },
  );
  return new Map(found.map(({ id, leaves }) => [id, leaves]));
}

export async function isLeaving(trx: Trx, id: string): Promise<boolean> {
  const found = await rows(trx, 'SELECT FROM communications WHERE id = :id AND leaving = attempt', { id });
  return found.length > 0;
}

interface Position {
  occurredAt: string;
  id: string;
}

/** Reads `communications_failed_open`, which holds these records alone. */
export async function listFailed(
  db: Db | Trx,
  { status, type }: Pick<FailedQuery, 'status' | 'type'>,
  after: Position | undefined,
  limit: number,
): Promise<Communication[]> {
  return rows<Communication>(
    db,
    `SELECT ${COLUMNS} FROM communications c
     WHERE c.status IN ('FAILED', 'UNCERTAIN') AND c.settled IS NULL AND c.customer_id IS NOT NULL
       AND NOT c.imported
       AND (CAST(:status AS text) IS NULL OR c.status = :status)
       AND (CAST(:type AS text) IS NULL OR c.type = :type)
       AND (CAST(:after_at AS timestamptz) IS NULL
            OR (c.occurred_at, c.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid)))
     ORDER BY c.occurred_at DESC, c.id DESC LIMIT :limit`,
    {
      status: status ?? null,
      type: type ?? null,
      after_at: after?.occurredAt ?? null,
      after_id: after?.id ?? null,
      limit,
    },
  );
}
