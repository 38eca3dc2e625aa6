import type { Figure } from '@ops/service-kit/figures';

/** What waits for a person. */
export const figures: readonly Figure[] = [
  {
    kind: 'gauge',
    name: 'communications_not_sent',
    help: 'Messages that failed, or of which nobody knows whether they arrived',
    labels: ['status'],
    sql: `SELECT status, coalesce(value, 0) AS value FROM unnest(ARRAY['FAILED', 'UNCERTAIN']) AS every (status)
          LEFT JOIN (SELECT status, count(*) AS value FROM communications
                     WHERE status IN ('FAILED', 'UNCERTAIN') AND settled IS NULL GROUP BY status) AS found USING (status)`,
  },
  {
    kind: 'gauge',
    name: 'unmatched_waiting_messages',
    help: 'Inbound messages of which nobody knows whose they are',
    sql: 'SELECT count(*) AS value FROM inbound_messages WHERE linked_at IS NULL AND dismissed_at IS NULL',
  },
  {
    kind: 'gauge',
    name: 'attachments_to_fetch',
    help: 'Files of inbound messages that are still with their provider',
    sql: `SELECT count(*) AS value FROM attachments WHERE state = 'PENDING'`,
  },
];
