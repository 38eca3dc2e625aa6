import type { Figure } from '@ops/service-kit/figures';

/** Every channel, with each message of it that is due. */
const DUE = `
  FROM unnest(ARRAY['MESSAGING_APP', 'EMAIL', 'SMS']) AS every (channel)
  LEFT JOIN deliveries ON type = channel AND status = 'QUEUED' AND due_at <= now()`;

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
    name: 'tasks_open',
    help: 'Tasks that nobody has done yet',
    labels: ['priority', 'assigned'],
    sql: `SELECT priority, assigned_agent IS NOT NULL AS assigned, count(*) AS value
          FROM tasks WHERE state_order = 0 GROUP BY 1, 2`,
  },
];
