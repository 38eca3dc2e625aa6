import type { NewEvent } from '@ops/bus/outbox';
import type { Treatment } from './refresh.rules.ts';

/** How the renewal stands from now on, before what that leads to. */
export const eventsOf = (treatments: readonly Treatment[], now: Date): NewEvent[] =>
  treatments.flatMap((treatment) => [...overdue(treatment, now), ...triggered(treatment, now)]);

/** A change of status is a new version; an alert alone is none, and disturbs nobody who is editing. */
const versionAfter = ({ renewal, becomesOverdue }: Treatment) => renewal.version + (becomesOverdue ? 1 : 0);

const common = ({ renewal }: Treatment, now: Date) => ({
  customer_id: renewal.customer_id,
  occurred_at: now.toISOString(),
  renewal_id: renewal.id,
  service_type: renewal.service_type,
  due_date: renewal.due_date,
  assigned_agent: renewal.assigned_agent,
  reminders: renewal.reminders ? ('on' as const) : ('off' as const),
});

function overdue(treatment: Treatment, now: Date): NewEvent[] {
  if (!treatment.becomesOverdue) return [];
  const data = {
    ...common(treatment, now),
    policy_id: treatment.renewal.policy_id,
    successor_id: null,
    status: 'OVERDUE' as const,
    change: 'overdue' as const,
    version: versionAfter(treatment),
  };
  return [{ type: 'renewal.changed', data, occurredAt: now }];
}

function triggered(treatment: Treatment, now: Date): NewEvent[] {
  const { fire: rung, supersede: superseded, days_until_due, renewal } = treatment;
  if (rung === null) return [];
  const data = {
    ...common(treatment, now),
    rung,
    days_until_due,
    superseded,
    service_label: renewal.service_label,
    version: versionAfter(treatment),
  };
  return [{ type: 'RENEWAL_TRIGGERED', data, occurredAt: now }];
}
