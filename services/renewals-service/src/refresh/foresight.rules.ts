import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { AwaitedAlerts } from '@ops/contracts/internal-routes';
import type { Deed } from '@ops/contracts/resources/outreach';
import type { Foreseen } from '@ops/contracts/resources/refresh';
import type { Rung } from '@ops/contracts/resources/renewal';
import { holdOn } from '../renewals/hold.rules.ts';
import { isSilent, reached } from '../renewals/rungs.rules.ts';
import type { OutreachPlan } from '../renewals/sequence.rules.ts';
import { type ActiveRenewal, type Outreach, type Treatment, treat } from './refresh.rules.ts';

/** A renewal as a dry run reads it: any status, and when it is to be looked at. */
export interface WatchedRenewal extends ActiveRenewal {
  next_alert_on: PlainDate | null;
  /** Those of `recorded` that fired. */
  fired: Rung[];
}

/** A line of a dry run before notifier is asked when its message leaves. */
export interface ForeseenLine extends Omit<Foreseen, 'leaves'> {
  reminders: boolean;
}

/** What a refresh of that day makes of one renewal, or why it makes nothing of it. */
export function foresee(renewal: WatchedRenewal, as_of: PlainDate, plan: OutreachPlan): ForeseenLine {
  const { id: renewal_id, customer_id, service_type, due_date, status, reminders } = renewal;
  const known = { renewal_id, customer_id, service_type, due_date, status, reminders, hold: holdOn(renewal, as_of) };
  const days_until_due = daysBetween(as_of, due_date);
  const { next_alert_on } = renewal;
  if (next_alert_on !== null && next_alert_on <= as_of)
    return { ...known, ...treated(treat(renewal, as_of, plan), renewal) };
  const nothing = {
    days_until_due,
    fires: null,
    superseded: [],
    becomes_overdue: false,
    sends_after_hold: null,
    goes: null,
  };
  return { ...known, ...nothing, ...whyNot(renewal, days_until_due) };
}

function treated(treatment: Treatment, renewal: WatchedRenewal) {
  const { days_until_due, fire: fires, supersede: superseded, becomesOverdue: becomes_overdue, outreach } = treatment;
  const because = fires === null ? decidedOn(days_until_due, renewal) : reachedBy(treatment);
  return {
    days_until_due,
    fires,
    superseded,
    becomes_overdue,
    sends_after_hold: outreach !== null && whyOf(outreach) === 'after_hold' ? outreach.rung : null,
    goes: outreach,
    because: outreach ? whyOf(outreach) : because,
    explanation: explain(treatment, renewal),
  };
}

/** What notifier is asked of a line: what goes that night, if anything does. */
export function awaitedIn({ fires, goes, because, hold, ...line }: ForeseenLine, on: PlainDate): AwaitedAlerts {
  const { customer_id, due_date, reminders } = line;
  const alert = fires === null ? goes : { rung: fires, step: '0', does: null };
  const silent = because === 'reached_silently' || hold !== null;
  return {
    customer_id,
    due_date,
    reminders: reminders ? 'on' : 'off',
    alerts: alert ? [{ ...alert, silent, on }] : [],
  };
}

function whyOf({ step, does }: Outreach): 'after_hold' | 'customer_known' | 'outreach' {
  if (does !== null) return 'outreach';
  return step === 'customer_known' ? step : 'after_hold';
}

const reachedBy = ({ silent }: Treatment) => (silent ? ('reached_silently' as const) : ('reached' as const));

/** What became of the most urgent rung reached. */
function decidedOn(days: number, { fired }: WatchedRenewal) {
  const mostUrgent = reached(days).at(-1);
  return mostUrgent !== undefined && fired.includes(mostUrgent) ? ('already_fired' as const) : ('superseded' as const);
}

function explain(treatment: Treatment, renewal: WatchedRenewal): string {
  const { days_until_due, fire, silent, supersede, outreach, becomesOverdue } = treatment;
  const alert = fire === null ? told(days_until_due, renewal) : `${sentence(days_until_due)}: ${fire} is reached`;
  const unsaid = fire !== null && silent ? ' and fires without a message to the customer' : '';
  const passed = supersede.length > 0 ? `; ${supersede.join(', ')} passed over as less urgent` : '';
  const kept = outreach ? `; ${outreachWords[whyOf(outreach)](outreach)}` : '';
  return `${alert}${unsaid}${passed}${kept}${becomesOverdue ? '; becomes OVERDUE' : ''}`;
}

const outreachWords = {
  after_hold: ({ rung }: Outreach) => `what a hold kept back is sent as ${rung} is`,
  customer_known: ({ rung }: Outreach) => `the customer, unknown before, is told what ${rung} says`,
  outreach: ({ rung, step, does }: Outreach) => `step ${step} after ${rung}: ${does ? deedInWords(does) : ''}`,
};

const channelWords = { MESSAGING_APP: 'messaging app', EMAIL: 'e-mail', SMS: 'SMS' };

function deedInWords({ channels, task }: Deed): string {
  const message = channels.map((channel) => channelWords[channel]).join(', else ');
  return [message, task && `a ${task} task to call`].filter(Boolean).join(', and ');
}

function whyNot(renewal: WatchedRenewal, days: number): Pick<Foreseen, 'because' | 'explanation'> {
  if (renewal.status === 'COMPLETED' || renewal.status === 'CANCELLED')
    return { because: 'closed', explanation: `It is ${renewal.status}` };
  const next = renewal.next_alert_on === null ? '' : `; the next one on ${renewal.next_alert_on}`;
  return reached(days).length === 0
    ? { because: 'not_reached', explanation: `${sentence(days)}: no threshold is reached${next}` }
    : { because: decidedOn(days, renewal), explanation: `${told(days, renewal)}${next}` };
}

/** What of it fired, whether the customer was written to or not, and what only gave way. */
function told(days: number, { recorded, fired, silent_through }: WatchedRenewal): string {
  const of = (words: string, is: (one: Rung) => boolean) => {
    const rungs = reached(days).filter((one) => recorded.includes(one) && is(one));
    return rungs.length === 0 ? [] : `${words}: ${rungs.join(', ')}`;
  };
  const all = [
    of('already fired', (one) => fired.includes(one) && !isSilent(one, silent_through)),
    of(
      'already fired without a message to the customer',
      (one) => fired.includes(one) && isSilent(one, silent_through),
    ),
    of('superseded', (one) => !fired.includes(one)),
  ];
  return `${sentence(days)}: ${all.flat().join('; ')}`;
}

const sentence = (days: number) => (days < 0 ? `${inDays(-days)} past due` : `${inDays(days)} until due`);

const inDays = (days: number) => (days === 1 ? '1 day' : `${days} days`);
