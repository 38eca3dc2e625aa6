import type { NewEvent } from '@ops/bus/outbox';
import type { EventData } from '@ops/contracts/events';
import type { Treatment } from './refresh.rules.ts';

/** How the renewal stands from now on, before what that leads to. */
export const eventsOf = (treatments: readonly Treatment[], run_id: string, now: Date): NewEvent[] =>
  treatments.flatMap((treatment) => [...overdue(treatment, now), ...triggered(treatment, run_id, now)]);

/** An alert, or one more message of it. */
export const isAlert = ({ type }: Pick<NewEvent, 'type'>): boolean =>
  type === 'RENEWAL_TRIGGERED' || type === 'renewal.outreach';

/** A run is over, whether it came to its end or not. */
export const refreshFinished = (
  run: Omit<EventData<'refresh.finished'>, 'occurred_at'>,
  now: Date,
): NewEvent<'refresh.finished'> => ({
  type: 'refresh.finished',
  data: { ...run, occurred_at: now.toISOString() },
  occurredAt: now,
});

/** A change of status is a new version; an alert alone is none, and disturbs nobody who is editing. */
const versionAfter = ({ renewal, becomesOverdue }: Treatment) => renewal.version + (becomesOverdue ? 1 : 0);

const common = ({ renewal, hold }: Treatment, now: Date) => ({
  customer_id: renewal.customer_id,
  written_under: renewal.written_under,
  occurred_at: now.toISOString(),
  renewal_id: renewal.id,
  service_type: renewal.service_type,
  due_date: renewal.due_date,
  assigned_agent: renewal.assigned_agent,
  reminders: renewal.reminders ? ('on' as const) : ('off' as const),
  hold,
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

function triggered(treatment: Treatment, run_id: string, now: Date): NewEvent[] {
  const { fire, supersede: superseded, silent, outreach, days_until_due, renewal } = treatment;
  const { service_label, service_labels, number } = renewal;
  const words = { run_id, days_until_due, silent, service_label, service_labels, number };
  const same = { ...common(treatment, now), ...words, version: versionAfter(treatment) };
  if (fire) return [{ type: 'RENEWAL_TRIGGERED', data: { ...same, rung: fire, superseded }, occurredAt: now }];
  if (!outreach) return [];
  return [{ type: 'renewal.outreach', data: { ...same, ...outreach, superseded: [] }, occurredAt: now }];
}
