import { outsideType } from '@ops/contracts/resources/communication';
import type { Figure } from '@ops/service-kit/figures';

/** Every channel, with each message of it that is due. */
const DUE = `
  FROM unnest(ARRAY[${outsideType.options.map((channel) => `'${channel}'`).join()}]) AS every (channel)
  LEFT JOIN sends ON type = channel AND status = 'QUEUED' AND due_at <= now()`;

/** By the database's calendar, which is a few hours off the firm's at most. */
const IS_THERE = (agent: string) =>
  `(${agent}.id IS NOT NULL AND coalesce(${agent}.absent_until < current_date, true))`;

/** Whether what should leave leaves. What waits for its time, such as the end of quiet hours, is not late. */
export const figures: readonly Figure[] = [
  {
    kind: 'gauge',
    name: 'sending_waiting_messages',
    help: 'Messages that are due and have not left',
    labels: ['channel'],
    sql: `SELECT channel, count(due_at) AS value ${DUE} GROUP BY channel`,
  },
  {
    kind: 'gauge',
    name: 'sending_oldest_seconds',
    help: 'For how long the oldest of them has been due; 0 when there is none',
    labels: ['channel'],
    sql: `SELECT channel, coalesce(extract(epoch FROM now() - min(due_at)), 0) AS value ${DUE} GROUP BY channel`,
  },
  {
    kind: 'gauge',
    name: 'letters_oldest_seconds',
    help: 'For how long the oldest message of an alert has not been written since that was decided; 0 when there is none',
    labels: [],
    sql: `SELECT coalesce(extract(epoch FROM now() - min(decided_at)), 0) AS value
          FROM alert_actions WHERE together IS NOT NULL AND NOT carried_out AND channel <> 'TASK'`,
  },
  {
    kind: 'gauge',
    name: 'tasks_open',
    help: 'Tasks that nobody has done yet',
    labels: ['priority', 'assigned'],
    sql: `SELECT priority, responsible.is_somebody AS assigned, count(*) AS value
          FROM tasks t
          CROSS JOIN LATERAL (
            SELECT EXISTS (
              SELECT FROM agents a LEFT JOIN agents d ON d.id = a.deputy
              WHERE a.id = coalesce(t.assigned_agent, t.renewal_agent, t.customer_agent)
                AND (${IS_THERE('a')} OR ${IS_THERE('d')})) AS is_somebody
          ) responsible
          WHERE state_order = 0 GROUP BY 1, 2`,
  },
];
