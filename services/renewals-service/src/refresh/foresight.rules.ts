import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { Foreseen } from '@ops/contracts/resources/refresh';
import { reached } from '../renewals/rungs.rules.ts';
import { type ActiveRenewal, type Treatment, treat } from './refresh.rules.ts';

/** A renewal as a dry run reads it: any status, and when it is to be looked at. */
export interface WatchedRenewal extends ActiveRenewal {
  next_alert_on: PlainDate | null;
}

/** What a refresh of that day makes of one renewal, or why it makes nothing of it. */
export function foresee(renewal: WatchedRenewal, as_of: PlainDate): Foreseen {
  const { id: renewal_id, customer_id, service_type, due_date, status } = renewal;
  const known = { renewal_id, customer_id, service_type, due_date, status };
  const days_until_due = daysBetween(as_of, due_date);
  const { next_alert_on } = renewal;
  if (next_alert_on !== null && next_alert_on <= as_of) return { ...known, ...treated(treat(renewal, as_of)) };
  const nothing = { days_until_due, fires: null, superseded: [], becomes_overdue: false };
  return { ...known, ...nothing, ...whyNot(renewal, days_until_due) };
}

function treated(treatment: Treatment) {
  const { days_until_due, fire: fires, supersede: superseded, becomesOverdue: becomes_overdue } = treatment;
  const because = fires === null ? ('already_fired' as const) : ('reached' as const);
  return { days_until_due, fires, superseded, becomes_overdue, because, explanation: explain(treatment) };
}

function explain({ days_until_due, fire, supersede, becomesOverdue, renewal }: Treatment): string {
  const alert = fire === null ? told(days_until_due, renewal) : `${sentence(days_until_due)}: ${fire} is reached`;
  const passed = supersede.length > 0 ? `; ${supersede.join(', ')} passed over as less urgent` : '';
  return `${alert}${passed}${becomesOverdue ? '; becomes OVERDUE' : ''}`;
}

function whyNot(renewal: WatchedRenewal, days: number): Pick<Foreseen, 'because' | 'explanation'> {
  if (renewal.status === 'COMPLETED' || renewal.status === 'CANCELLED')
    return { because: 'closed', explanation: `It is ${renewal.status}` };
  const again = renewal.next_alert_on === null ? '' : `; the next one on ${renewal.next_alert_on}`;
  return reached(days).length === 0
    ? { because: 'not_reached', explanation: `${sentence(days)}: no threshold is reached${again}` }
    : { because: 'already_fired', explanation: `${told(days, renewal)}${again}` };
}

const told = (days: number, { recorded }: ActiveRenewal) =>
  `${sentence(days)}: already decided on: ${reached(days)
    .filter((one) => recorded.includes(one))
    .join(', ')}`;

const sentence = (days: number) => (days < 0 ? `${-days} days past due` : `${days} days until due`);
