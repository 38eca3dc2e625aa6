import type { ExportedKind } from '@ops/service-kit/exporting';
import { IDS } from '@ops/service-kit/sought';

const ofCustomer = `t.customer_id = ANY (${IDS})`;
const ofSends = `t.send_id IN (SELECT s.id FROM sends s WHERE s.customer_id = ANY (${IDS}))`;

export const notifierKinds: readonly ExportedKind[] = [
  { kind: 'tasks', title: 'Tasks', table: 'tasks', theirs: ofCustomer, at: 't.created_at', key: 't.id' },
  {
    kind: 'alert-actions',
    title: 'What was decided about each alert, by channel',
    table: 'alert_actions',
    theirs: ofCustomer,
    at: 't.decided_at',
    key: 't.id',
    row: `to_jsonb(t) - 'trace'`,
  },
  {
    kind: 'sends',
    title: 'Messages handed to providers',
    table: 'sends',
    theirs: ofCustomer,
    at: 't.created_at',
    key: 't.id',
    row: `to_jsonb(t) - ARRAY['trace', 'claim', 'claimed_until']`,
  },
  {
    kind: 'tries',
    title: 'Each try to hand one over',
    table: 'send_tries',
    theirs: ofSends,
    at: 't.started_at',
    key: 't.id',
  },
  {
    kind: 'receipts',
    title: 'What providers said became of them',
    table: 'send_receipts',
    theirs: ofSends,
    at: 't.occurred_at',
    key: 't.item_id',
  },
];

/** Tables of which nothing is told, and why. */
export const notifierUntold: Readonly<Record<string, string>> = {
  agents: 'people of the firm',
  alert_plan: 'a setting',
  calendar: 'a setting',
  customer_aliases: 'as comms-service tells it',
  finished_runs: 'counts',
  followed_customers: 'as comms-service tells it',
  followed_renewals: 'as renewals-service tells it',
  run_alerts: 'as renewals-service tells it',
  templates: 'a setting',
};
