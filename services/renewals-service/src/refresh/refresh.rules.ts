import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { RefreshCounts } from '@ops/contracts/resources/refresh';
import type { RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import { type Decision, decide, nextAlertOn } from '../renewals/rungs.rules.ts';

/** An active renewal as a refresh reads it. */
export interface ActiveRenewal {
  id: string;
  customer_id: string;
  service_type: string;
  service_label: string;
  due_date: PlainDate;
  status: RenewalStatus;
  policy_id: string | null;
  assigned_agent: string | null;
  reminders: boolean;
  version: number;
  /** What the ledger holds for this due date, fired or superseded. */
  recorded: Rung[];
}

/** What a refresh makes of one renewal. */
export interface Treatment extends Decision {
  renewal: ActiveRenewal;
  days_until_due: number;
  becomesOverdue: boolean;
  next_alert_on: PlainDate | null;
}

export function treat(renewal: ActiveRenewal, as_of: PlainDate): Treatment {
  const { due_date, recorded, status } = renewal;
  const days_until_due = daysBetween(as_of, due_date);
  const { fire, supersede } = decide(days_until_due, recorded);
  const decided = [...recorded, ...supersede, ...(fire ? [fire] : [])];
  const isOverdue = days_until_due < 0;
  const next_alert_on = nextAlertOn(due_date, decided, isOverdue || status === 'OVERDUE');
  const becomesOverdue = isOverdue && status !== 'OVERDUE';
  return { renewal, days_until_due, fire, supersede, becomesOverdue, next_alert_on };
}

export const nothingYet: RefreshCounts = {
  looked_at: 0,
  fired: 0,
  superseded: 0,
  became_overdue: 0,
  set_aside: 0,
  by_rung: {},
};

export function countsOf(treatments: readonly Treatment[]): RefreshCounts {
  const fired = treatments.flatMap(({ fire }) => fire ?? []);
  const by_rung: RefreshCounts['by_rung'] = {};
  for (const rung of fired) by_rung[rung] = (by_rung[rung] ?? 0) + 1;
  return {
    looked_at: treatments.length,
    fired: fired.length,
    superseded: treatments.reduce((sum, { supersede }) => sum + supersede.length, 0),
    became_overdue: treatments.filter(({ becomesOverdue }) => becomesOverdue).length,
    set_aside: 0,
    by_rung,
  };
}

export function addUp(one: RefreshCounts, other: RefreshCounts): RefreshCounts {
  const by_rung = { ...one.by_rung };
  for (const [rung, count] of Object.entries(other.by_rung) as [Rung, number][])
    by_rung[rung] = (by_rung[rung] ?? 0) + count;
  return {
    looked_at: one.looked_at + other.looked_at,
    fired: one.fired + other.fired,
    superseded: one.superseded + other.superseded,
    became_overdue: one.became_overdue + other.became_overdue,
    set_aside: one.set_aside + other.set_aside,
    by_rung,
  };
}
