import type { Alert, RenewalDetail } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { rungs } from './rungs.ts';

const channels = ['MESSAGING_APP', 'EMAIL', 'SMS', 'TASK'];

/** Those decided at once from the most urgent; each with what it led to, and what became of that. */
export async function listAlerts(db: Db, renewalId: string): Promise<Alert[]> {
  const { rows } = await db.raw(
    `SELECT a.due_date, a.rung, a.state, a.days_until_due, utc_text(a.decided_at) AS decided_at,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'channel', o.channel, 'outcome', o.outcome, 'instead_of', o.instead_of, 'reason', o.reason,
            'communication_id', o.communication_id, 'task_id', o.task_id, 'status', m.status,
            'send_after', utc_text(o.send_after), 'reply_id', reply.id, 'occurred_at', utc_text(o.occurred_at))
          ORDER BY array_position(CAST(:channels AS text[]), o.channel)), '[]')
        FROM alert_outcomes o
        LEFT JOIN linked_messages m ON m.communication_id = o.communication_id
        LEFT JOIN LATERAL (
          SELECT r.communication_id AS id FROM linked_messages r
          WHERE r.in_reply_to = o.communication_id AND r.renewal_id = o.renewal_id AND r.direction = 'INBOUND'
          ORDER BY r.occurred_at, r.communication_id LIMIT 1) reply ON true
        WHERE o.renewal_id = a.renewal_id AND o.due_date = a.due_date AND o.rung = a.rung) AS outcomes
     FROM alerts a WHERE a.renewal_id = :renewal_id
     ORDER BY a.decided_at DESC, a.due_date DESC, array_position(CAST(:rungs AS text[]), a.rung) DESC`,
    { renewal_id: renewalId, channels, rungs: [...rungs] },
  );
  return rows;
}

const mostMessages = 200;

export async function listMessages(db: Db, renewalId: string): Promise<RenewalDetail['messages']> {
  const { rows } = await db.raw(
    `SELECT m.communication_id, m.type, m.direction, m.status, m.in_reply_to, utc_text(m.occurred_at) AS occurred_at
     FROM linked_messages m WHERE m.renewal_id = :renewal_id
     ORDER BY m.occurred_at DESC, m.communication_id DESC LIMIT :limit`,
    { renewal_id: renewalId, limit: mostMessages },
  );
  return rows;
}
