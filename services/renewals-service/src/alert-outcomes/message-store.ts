import { execute, type Trx } from '@ops/service-kit/database';
import type { MessageStatement } from './statement.rules.ts';

/** With the version of each renewal, if it may be held by it. */
export type SavedStatement = MessageStatement & { versions: (number | null)[] };

/** Of a renewal it was linked to before, the version it had then. */
const VERSIONS = `
  SELECT linked.versions[1], linked.versions[2:]
  FROM (SELECT array_agg(CASE WHEN known.id IS NULL THEN told.version ELSE known.version END ORDER BY told.position) AS versions
        FROM unnest(excluded.renewal_id || excluded.other_renewal_ids, excluded.renewal_version || excluded.other_versions)
               WITH ORDINALITY AS told (id, version, position)
        LEFT JOIN unnest(m.renewal_id || m.other_renewal_ids, m.renewal_version || m.other_versions) AS known (id, version)
               ON known.id = told.id) linked`;

/**
 * One query however many, in the order of their ids, so that two consumers do not wait for each other. The newest
 * statement stays, in whatever order they come; of one moment that of the later event, since a message that is moved is told
 * of twice.
 */
export async function saveMessages(trx: Trx, statements: readonly SavedStatement[]): Promise<void> {
  if (statements.length === 0) return;
  await execute(
    trx,
    `INSERT INTO linked_messages AS m (communication_id, renewal_id, other_renewal_ids, type, direction, status, in_reply_to,
                                       automatic, occurred_at, renewal_version, other_versions, told_at, told_id)
     SELECT DISTINCT ON (w.communication_id)
            w.communication_id, w.renewal_ids[1], w.renewal_ids[2:], w.type, w.direction, w.status, w.in_reply_to,
            w.automatic, w.occurred_at, w.versions[1], w.versions[2:], w.told_at, w.told_id
     FROM jsonb_to_recordset(CAST(:statements AS jsonb)) AS w (
       communication_id uuid, renewal_ids uuid[], type text, direction text, status text, in_reply_to uuid,
       automatic boolean, occurred_at timestamptz, versions integer[], told_at timestamptz, told_id text)
     ORDER BY w.communication_id, w.told_at DESC, w.told_id COLLATE "C" DESC
     ON CONFLICT (communication_id) DO UPDATE
        SET renewal_id = excluded.renewal_id, other_renewal_ids = excluded.other_renewal_ids, type = excluded.type,
            direction = excluded.direction, status = excluded.status, in_reply_to = excluded.in_reply_to,
            automatic = excluded.automatic, occurred_at = excluded.occurred_at,
            (renewal_version, other_versions) = (${VERSIONS}),
            told_at = excluded.told_at, told_id = excluded.told_id
      WHERE (m.told_at, m.told_id) < (excluded.told_at, excluded.told_id)`,
    { statements: JSON.stringify(statements) },
  );
}
