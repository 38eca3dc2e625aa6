import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';
import type { TimelineLine } from './timeline.rules.ts';

export interface TimelinePosition {
  occurredAt: string;
  id: string;
}

/**
 * An event writes one line, however often it is told. That of a record stays with it, under whichever id it was written: asked line by
 * line, because how many lines there are no plan knows, and a join would read every record there is.
 */
export async function insertLines(trx: Trx, lines: readonly TimelineLine[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO timeline (event_id, customer_id, type, occurred_at, communication_id, data, written_under)
     SELECT l.event_id, l.customer_id, l.type, l.occurred_at, l.communication_id, l.data,
            coalesce((SELECT c.written_under FROM communications c WHERE c.id = l.communication_id), l.written_under)
     FROM jsonb_to_recordset(CAST(:lines AS jsonb)) AS l
       (event_id text, customer_id text, type text, occurred_at timestamptz, communication_id uuid, data jsonb,
        written_under text)
     ON CONFLICT (event_id) DO NOTHING`,
    { lines: JSON.stringify(lines) },
  );
}

/** The record is somebody else's now. */
export async function moveLines(trx: Trx, communication_id: string): Promise<void> {
  await execute(
    trx,
    `UPDATE timeline t SET customer_id = c.customer_id, written_under = c.written_under
     FROM communications c WHERE c.id = t.communication_id AND c.id = :communication_id`,
    { communication_id },
  );
}

/** Which renewal a message is about was found out later than the message came. */
export async function tellRenewals(
  trx: Trx,
  found: readonly { id: string; renewal_id: string | null }[],
): Promise<void> {
  await execute(
    trx,
    `UPDATE timeline t SET data = jsonb_set(t.data, '{renewal_id}', coalesce(to_jsonb(f.renewal_id), 'null'))
     FROM jsonb_to_recordset(CAST(:found AS jsonb)) AS f (id uuid, renewal_id uuid)
     WHERE t.communication_id = f.id`,
    { found: JSON.stringify(found) },
  );
}

/** Undefined when there is no such customer, though there may be lines that wait for it, or it is an alias. */
export async function listLines(
  db: Db | Trx,
  customerId: string,
  after: TimelinePosition | undefined,
  limit: number,
): Promise<TimelineEvent[] | undefined> {
  const lines = await rows<TimelineEvent | { id: null }>(
    db,
    `SELECT line.* FROM customers k LEFT JOIN LATERAL (
       SELECT t.event_id AS id, t.customer_id, t.type, utc_text(t.occurred_at) AS occurred_at, t.data
       FROM timeline t
       WHERE t.customer_id = :customer_id ${
         after ? 'AND (t.occurred_at, t.event_id) < (CAST(:after_at AS timestamptz), :after_id)' : ''
       }
       ORDER BY t.occurred_at DESC, t.event_id DESC LIMIT :limit
     ) line ON true
     WHERE k.id = :customer_id AND k.leads_to IS NULL ORDER BY line.occurred_at DESC, line.id DESC`,
    { customer_id: customerId, limit, ...(after && { after_at: after.occurredAt, after_id: after.id }) },
  );
  return lines.length === 0 ? undefined : lines.filter((line) => line.id !== null);
}
