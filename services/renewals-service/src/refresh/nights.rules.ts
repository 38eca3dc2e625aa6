import { addDays, type PlainDate } from '@ops/contracts/dates';
import { nextLookOn } from '../renewals/hold.rules.ts';
import { nextAlertOn } from '../renewals/rungs.rules.ts';
import type { OutreachPlan } from '../renewals/sequence.rules.ts';
import { type Outreach, type Treatable, type Treatment, treat } from './refresh.rules.ts';

/** What a night is to do with a renewal. */
export interface Night {
  on: PlainDate;
  /** Silent also while it is held. */
  alert: (Outreach & { silent: boolean }) | null;
  becomesOverdue: boolean;
}

/** The day of the next refresh by itself: today's, if that of the day before was the last. Null: there was nothing to refresh. */
export function nextNight(today: PlainDate, lastNight: PlainDate | null): PlainDate {
  if (lastNight !== null && lastNight < today) return today;
  return addDays(lastNight ?? today, 1);
}

/** From the first night to the last, by the function that a refresh decides by: none is missed, and nobody answers. */
export function nightsOf(renewal: Treatable, first: PlainDate, plan: OutreachPlan, last?: PlainDate): Night[] {
  const nights: Night[] = [];
  for (let [coming, from] = [renewal, first]; ; ) {
    const ladder = nextAlertOn(coming.due_date, coming.recorded, coming.status === 'OVERDUE');
    const next = nextLookOn(ladder, coming, from);
    if (next === null || (last !== undefined && next > last)) return nights;
    const wasMissed = next < from;
    const on = wasMissed ? from : next;
    const treatment = treat(coming, on, plan);
    nights.push({ on, alert: alertIn(treatment), becomesOverdue: treatment.becomesOverdue });
    [coming, from] = [afterwards(treatment), addDays(on, 1)];
  }
}

function alertIn({ fire, outreach, silent, hold }: Treatment<Treatable>): Night['alert'] {
  const said = fire === null ? outreach : { rung: fire, step: '0', does: null };
  return said && { ...said, silent: silent || hold !== null };
}

/** As that night leaves it. What fires while it is held is kept back. */
function afterwards(treatment: Treatment<Treatable>): Treatable {
  const { renewal, fire, supersede, outreach, hold, silent, sequence, withheld, known_after_alert } = treatment;
  const owed = outreach !== null && outreach.does === null ? [outreach.rung] : [];
  return {
    ...renewal,
    recorded: [...renewal.recorded, ...supersede, ...(fire ? [fire] : [])],
    status: treatment.becomesOverdue ? 'OVERDUE' : renewal.status,
    sequence,
    withheld: withheld || (fire !== null && hold !== null && !silent),
    known_after_alert,
    sent_after_hold: [...renewal.sent_after_hold, ...owed],
    sent_once_known: [...renewal.sent_once_known, ...owed],
  };
}
