import {
  type Alert,
  alertOutcome,
  type LinkedMessage,
  type RenewalDetail,
  rungs,
} from '@ops/contracts/resources/renewal';
import { type Db, rows } from '@ops/service-kit/database';
import { isAbout } from './message-columns.ts';

const channels = alertOutcome.shape.channel.options;

/**
 * The message of each alert that left, or may have, and when an answer to it can have been written: from then on until
 * the next one on its channel left. comms-service ties a reply that names nothing to a renewal alike, and allows the
 * same minute for clocks that differ.
 */
const ANSWERABLE = `
  SELECT l.communication_id, l.left_at - interval '1 minute' AS since,
    coalesce(lead(l.left_at) OVER (PARTITION BY l.channel ORDER BY l.left_at, l.communication_id), 'infinity')
      - interval '1 minute' AS until
  FROM (SELECT o.communication_id, o.channel, greatest(m.occurred_at, o.send_after) AS left_at
        FROM alert_outcomes o JOIN linked_messages m ON m.communication_id = o.communication_id
        WHERE o.renewal_id = :renewal_id AND m.status NOT IN ('FAILED', 'CANCELLED')) l`;

/** Of outcome `o`: the first answer that names its message, else the first that names nothing and came in its time. */
const REPLY_ID = `coalesce(
  (SELECT r.communication_id FROM linked_messages r
   WHERE r.in_reply_to = o.communication_id AND ${isAbout('r', 'o.renewal_id')} AND r.direction = 'INBOUND'
   ORDER BY r.occurred_at, r.communication_id LIMIT 1),
  (SELECT r.communication_id FROM linked_messages r
   WHERE ${isAbout('r', 'o.renewal_id')} AND r.type = o.channel AND r.direction = 'INBOUND' AND r.in_reply_to IS NULL
     AND r.occurred_at >= n.since AND r.occurred_at < n.until
   ORDER BY r.occurred_at, r.communication_id LIMIT 1))`;

/** Those decided at once from the most urgent; each with what it led to, and what became of that. */
export async function listAlerts(db: Db, renewalId: string): Promise<Alert[]> {
  return rows<Alert>(
    db,
    `WITH answerable AS (${ANSWERABLE})
     SELECT a.due_date, a.rung, a.step, a.state, a.because, a.days_until_due, utc_text(a.decided_at) AS decided_at,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'channel', o.channel, 'outcome', o.outcome, 'instead_of', o.instead_of, 'reason', o.reason,
            'communication_id', o.communication_id, 'task_id', o.task_id, 'status', m.status,
            'send_after', utc_text(o.send_after), 'send_after_reason', o.send_after_reason, 'reply_id', ${REPLY_ID}, 'occurred_at', utc_text(o.occurred_at))
          ORDER BY array_position(CAST(:channels AS text[]), o.channel)), '[]')
        FROM alert_outcomes o
        LEFT JOIN linked_messages m ON m.communication_id = o.communication_id
        LEFT JOIN answerable n ON n.communication_id = o.communication_id
        WHERE o.renewal_id = a.renewal_id AND o.due_date = a.due_date AND o.rung = a.rung AND o.step = a.step) AS outcomes
     FROM alerts a WHERE a.renewal_id = :renewal_id
     ORDER BY a.decided_at DESC, a.due_date DESC, array_position(CAST(:rungs AS text[]), a.rung) DESC, a.step DESC`,
    { renewal_id: renewalId, channels, rungs },
  );
}

const MESSAGE =
  'm.communication_id, m.type, m.direction, m.status, m.in_reply_to, utc_text(m.occurred_at) AS occurred_at';

const mostMessages = 200;

export async function listMessages(db: Db, renewalId: string): Promise<RenewalDetail['messages']> {
  return rows<LinkedMessage>(
    db,
    `SELECT ${MESSAGE} FROM linked_messages m WHERE ${isAbout('m', ':renewal_id')}
     ORDER BY m.occurred_at DESC, m.communication_id DESC LIMIT :limit`,
    { renewal_id: renewalId, limit: mostMessages },
  );
}

/** The newest message of each renewal that has one. */
export async function lastContacts(db: Db, renewalIds: readonly string[]): Promise<Map<string, LinkedMessage>> {
  const found = await rows<LinkedMessage & { renewal_id: string }>(
    db,
    `SELECT asked.id AS renewal_id, last.*
     FROM unnest(CAST(:ids AS uuid[])) AS asked (id) CROSS JOIN LATERAL (
       SELECT ${MESSAGE} FROM linked_messages m WHERE ${isAbout('m', 'asked.id')}
       ORDER BY m.occurred_at DESC, m.communication_id DESC LIMIT 1) last`,
    { ids: renewalIds },
  );
  return new Map(found.map(({ renewal_id, ...message }) => [renewal_id, message]));
}
