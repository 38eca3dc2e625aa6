import { isAbout } from '../alert-outcomes/message-columns.ts';
import { freshDays, nearDays, skewMs } from './at-risk.rules.ts';

/** Statements say of a moment what it is called in them. */
interface Moment {
  /** The firm's business date. */
  today: string;
  now: string;
}

const latestOf = (renewal: string, condition: string): string =>
  `(SELECT max(m.occurred_at) FROM linked_messages m WHERE ${isAbout('m', renewal)} AND ${condition})`;

/** The latest message about it that reached the customer. */
export const reachedAt = (renewal: string): string =>
  latestOf(
    renewal,
    `m.direction = 'OUTBOUND' AND (m.status IN ('DELIVERED', 'READ') OR m.status = 'SENT' AND m.type IN ('EMAIL', 'SMS'))`,
  );

/** What a person answered about it last. */
export const answeredAt = (renewal: string): string => latestOf(renewal, `m.direction = 'INBOUND' AND NOT m.automatic`);

/** When an alert about it fired last, whatever it led to since. */
export const lastRungAt = (renewal: string): string =>
  `(SELECT max(a.decided_at) FILTER (WHERE a.state = 'FIRED' AND a.step = '0') FROM alerts a WHERE a.renewal_id = ${renewal})`;

const isThere = (agent: string, today: string): string =>
  `(${agent}.id IS NOT NULL AND coalesce(${agent}.absent_until < ${today}, true))`;

/**
 * Of `renewals r`, as `riskReasons` has it. It is bounded by the due date, of which what is active has an index; of each of
 * those the rest is looked up by indexes. Joined instead, the last alert would be looked up once for each message.
 */
export const atRisk = ({ today, now }: Moment): string => `
  r.closed_at IS NULL AND r.due_date <= ${today} + ${nearDays}
  AND coalesce(r.started_at < ${now} - interval '${freshDays} days', true)
  AND NOT EXISTS (
    SELECT FROM followed_tasks t
    JOIN agents o ON o.id = coalesce(t.assigned_agent, r.assigned_agent, r.customer_agent)
    LEFT JOIN agents d ON d.id = o.deputy
    WHERE t.renewal_id = r.id AND t.is_open AND (${isThere('o', today)} OR ${isThere('d', today)}))
  AND coalesce(${answeredAt('r.id')} < ${now} - interval '${freshDays} days', true)
  AND coalesce(${reachedAt('r.id')} < coalesce(${lastRungAt('r.id')} - interval '${skewMs} milliseconds', '-infinity'), true)`;
