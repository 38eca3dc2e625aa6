import { importKinds, importsUntold } from '@ops/imports/import-kinds';
import type { ExportedKind } from '@ops/service-kit/exporting';
import { IDS } from '@ops/service-kit/sought';

const theirRenewals = `SELECT r.id FROM renewals r WHERE r.customer_id = ANY (${IDS})`;
const ofRenewals = `t.renewal_id IN (${theirRenewals})`;

export const renewalsKinds: readonly ExportedKind[] = [
  {
    kind: 'renewals',
    title: 'Renewals, and what holds them',
    table: 'renewals',
    theirs: `t.customer_id = ANY (${IDS})`,
    at: 't.created_at',
    key: 't.id',
  },
  {
    kind: 'alerts',
    title: 'Alerts, fired and passed over',
    table: 'alerts',
    theirs: ofRenewals,
    at: 't.decided_at',
    key: `concat_ws(' ', t.renewal_id, t.due_date, t.rung, t.step)`,
  },
  {
    kind: 'what-alerts-led-to',
    title: 'What alerts led to',
    table: 'alert_outcomes',
    theirs: ofRenewals,
    at: 't.occurred_at',
    key: `concat_ws(' ', t.renewal_id, t.due_date, t.rung, t.step, t.channel)`,
  },
  {
    kind: 'messages-about-renewals',
    title: 'Messages about renewals',
    table: 'linked_messages',
    theirs: `${ofRenewals} OR t.other_renewal_ids && ARRAY(${theirRenewals})`,
    at: 't.occurred_at',
    key: 't.communication_id',
  },
  {
    kind: 'compliance-flags',
    title: 'Compliance flags',
    table: 'compliance_flags',
    theirs: `t.customer_id = ANY (${IDS})`,
    at: 't.raised_at',
    key: 't.id',
  },
  {
    kind: 'ids-elsewhere',
    title: 'What other systems call their renewals',
    table: 'external_ids',
    theirs: ofRenewals,
    at: 'NULL',
    key: 't.external_id',
  },
  {
    kind: 'upstream-statements',
    title: 'What other systems said of policies and permits',
    table: 'upstream_statements',
    theirs: ofRenewals,
    at: 't.told_at',
    key: `concat_ws(' ', t.kind, t.source_id, t.renewal_id)`,
  },
  {
    kind: 'upstream-endings',
    title: 'Policies and permits that other systems said have ended',
    table: 'upstream_endings',
    theirs: `(t.kind, t.source_id) IN (
      SELECT r.source_kind, r.source_id FROM renewals r WHERE r.customer_id = ANY (${IDS})
      UNION ALL SELECT s.kind, s.source_id FROM upstream_statements s WHERE s.renewal_id IN (${theirRenewals}))`,
    at: 't.told_at',
    key: `concat_ws(' ', t.kind, t.source_id)`,
  },
  ...importKinds,
];

/** Tables of which nothing is told, and why. */
export const renewalsUntold: Readonly<Record<string, string>> = {
  ...importsUntold,
  agents: 'people of the firm',
  customer_aliases: 'as comms-service tells it',
  followed_alert_plan: 'a setting',
  followed_customers: 'as comms-service tells it',
  followed_tasks: 'as notifier tells it',
  open_renewal_counts: 'counts',
  refresh_runs: 'counts',
  refresh_set_aside: 'an error of ours in one night',
  refreshed: 'a date',
  renewal_count_changes: 'counts',
  renewal_counts: 'counts',
  service_types: 'a setting',
};
