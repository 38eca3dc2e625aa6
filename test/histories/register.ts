import { isDeepStrictEqual } from 'node:util';
import { addDays, type PlainDate } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import type { Hold, Rung } from '@ops/contracts/resources/renewal';
import { seeded } from '../../services/renewals-service/src/imports/import.rules.ts';
import { treat } from '../../services/renewals-service/src/refresh/refresh.rules.ts';
import { eventsOf } from '../../services/renewals-service/src/refresh/refresh-events.ts';
import {
  acknowledgeProblem,
  answeredUntil,
  holdOn,
  isOwed,
  isSameHold,
  nextLookOn,
  released,
} from '../../services/renewals-service/src/renewals/hold.rules.ts';
import {
  carriedOver,
  close,
  isClosed,
  move,
  type RenewalChange,
  reopen,
  type Step,
  type StoredRenewal,
  start,
} from '../../services/renewals-service/src/renewals/renewal.rules.ts';
import { renewalChanged, type Told } from '../../services/renewals-service/src/renewals/renewal-events.ts';
import { nextAlertOn } from '../../services/renewals-service/src/renewals/rungs.rules.ts';
import { answeredIn, endedBy, type OutreachPlan } from '../../services/renewals-service/src/renewals/sequence.rules.ts';
import type { Deed, Watched } from './history.ts';

/** As the plan is installed. */
export const followedBy: OutreachPlan = {
  '60': [
    { after_days: 7, channels: ['EMAIL'], task: null },
    { after_days: 14, channels: ['MESSAGING_APP', 'SMS'], task: null },
    { after_days: 21, channels: [], task: 'NORMAL' },
  ],
};

export type Changed = EventData<'renewal.changed'>;
export type Alert = EventData<'renewal.outreach'>;

export interface Entry {
  due_date: PlainDate;
  rung: Rung;
  step: string;
  state: 'FIRED' | 'SUPERSEDED';
  /** The date came in this near: the customer is not written to. */
  silent: boolean;
  at: Date;
}

type Named = Pick<Entry, 'due_date' | 'rung' | 'step'>;

const nameOf = ({ due_date, rung, step }: Named): string => [due_date, rung, step].join(' ');

/** One renewal as renewals-service keeps it, decided by that service's rules; its tables are these fields. */
export class Register {
  renewal: StoredRenewal;
  ledger: Entry[] = [];
  changes: Changed[] = [];
  alerts: Alert[] = [];
  /** What upstream said to have ended, while this was open: whether it was cancelled by that. */
  endings: { cancelled: boolean }[] = [];
  readonly #policy: Watched['policy'];
  #answers: { on: PlainDate; version: number }[] = [];
  /** Alerts of which a hold kept a message back. */
  readonly #keptBack = new Set<string>();

  constructor(id: string, { ahead, seed, policy }: Watched, today: PlainDate) {
    const due_date = addDays(today, ahead);
    this.#policy = policy;
    const anchor_day = Number(due_date.slice(8));
    const silent_through = seed && seeded(due_date, today, seed);
    this.renewal = {
      ...blank,
      id,
      due_date,
      anchor_day,
      silent_through,
      created_on: today,
      next_alert_on: nextAlertOn(due_date, []),
    };
  }

  holdOn(today: PlainDate): Hold | null {
    return holdOn(this.renewal, today);
  }

  /** What fired last about the date it has now. */
  newest(): Entry | undefined {
    return this.ledger.findLast(({ due_date, state }) => state === 'FIRED' && due_date === this.renewal.due_date);
  }

  night(run: string, today: PlainDate, now: Date): void {
    const { due_date, next_alert_on, withheld, known_after_alert } = this.renewal;
    if (next_alert_on === null || next_alert_on > today) return;
    const sentAs = (step: string) =>
      this.ledger.filter((one) => one.due_date === due_date && one.step.startsWith(step)).map(({ rung }) => rung);
    const read = {
      ...this.renewal,
      service_label: 'Permit',
      service_labels: {},
      number: null,
      recorded: this.#recorded(due_date),
      sent_after_hold: withheld ? sentAs('after_hold') : [],
      sent_once_known: known_after_alert ? sentAs('customer_known') : [],
    };
    const treatment = treat(read, today, followedBy);
    const { supersede, fire, outreach, becomesOverdue, silent, passedOver } = treatment;
    this.ledger.push(...passedOver.map((one) => ({ ...one, state: 'SUPERSEDED' as const, silent: false, at: now })));
    this.#record(supersede, { state: 'SUPERSEDED', step: '0', silent: false, at: now });
    if (fire) this.#record([fire], { state: 'FIRED', step: '0', silent, at: now });
    if (outreach) this.#record([outreach.rung], { state: 'FIRED', step: outreach.step, silent, at: now });
    this.renewal = {
      ...this.renewal,
      withheld: treatment.withheld,
      known_after_alert: treatment.known_after_alert,
      sequence: treatment.sequence,
      next_alert_on: treatment.next_alert_on,
      ...(becomesOverdue ? { status: 'OVERDUE', version: this.renewal.version + 1 } : {}),
    };
    for (const { type, data } of eventsOf([treatment], run, now)) {
      if (type === 'renewal.changed') this.changes.push(data as Changed);
      else this.alerts.push({ step: '0', does: null, ...(data as object) } as Alert);
    }
  }

  do(deed: Deed, today: PlainDate, now: Date): void {
    const { renewal } = this;
    if (deed.kind === 'answer') this.#answers.push({ on: today, version: renewal.version });
    if (deed.kind === 'takeBack') this.#answers.pop();
    if (deed.kind === 'answer' || deed.kind === 'takeBack') this.#holdByAnswer(today, now);
    if (deed.kind === 'start') this.#take(start(renewal, now), 'started', today, now);
    if (deed.kind === 'complete') this.#take(close(renewal, 'COMPLETED', now), 'completed', today, now);
    if (deed.kind === 'cancel') this.#take(close(renewal, 'CANCELLED', now), 'cancelled', today, now);
    if (deed.kind === 'reopen') {
      const before = { successorTouched: false, recorded: this.#recorded(renewal.due_date), today };
      this.#take(reopen(renewal, before, now), 'reopened', today, now);
    }
    if (isClosed(this.renewal.status)) return;
    if (deed.kind === 'sourceEnds') this.#endByUpstream(today, now);
    if (deed.kind === 'release' && this.holdOn(today)) this.#hold(released(renewal), today, now);
    if (deed.kind === 'acknowledge') this.#acknowledge(addDays(today, deed.days), today, now);
    if (deed.kind === 'move') this.#move(addDays(renewal.due_date, deed.days), today, now);
    if (deed.kind === 'remindersOff' || deed.kind === 'remindersOn')
      this.#change({ reminders: deed.kind === 'remindersOn' } as RenewalChange, 'changed', today, now);
  }

  /** A hold kept the message of this alert back. */
  keepBack(alert: Named, today: PlainDate): void {
    this.#keptBack.add(nameOf(alert));
    if (!this.renewal.withheld && this.#isLast(alert)) this.#owe({ withheld: true }, today);
  }

  /** Nobody knew the customer whom this alert was to reach. */
  awaitCustomer(alert: Named, isKnownByNow: boolean, today: PlainDate): void {
    if (this.renewal.known_after_alert === null && this.#isLast(alert))
      this.#owe({ known_after_alert: isKnownByNow }, today);
  }

  /** Somebody has described the customer. */
  learnCustomer(today: PlainDate): void {
    const { known_after_alert, next_alert_on, status } = this.renewal;
    if (known_after_alert !== false || isClosed(status)) return;
    const soonest = next_alert_on === null || next_alert_on > today ? today : next_alert_on;
    this.renewal = { ...this.renewal, known_after_alert: true, next_alert_on: soonest };
  }

  /** What stands for it is cancelled; what merely names it goes on. */
  #endByUpstream(today: PlainDate, now: Date): void {
    if (!this.#policy) return;
    const cancelled = this.#policy === 'stands';
    if (cancelled) this.#take(close(this.renewal, 'CANCELLED', now), 'cancelled', today, now);
    this.endings.push({ cancelled });
  }

  #isLast(alert: Named): boolean {
    const last = this.ledger.findLast(({ state }) => state === 'FIRED');
    return last !== undefined && nameOf(last) === nameOf(alert);
  }

  #owe(owed: Partial<StoredRenewal>, today: PlainDate): void {
    const owing = { ...this.renewal, ...owed };
    this.renewal = { ...owing, next_alert_on: this.#nextLook(owing, today) };
  }

  #acknowledge(until: PlainDate, today: PlainDate, now: Date): void {
    const { status, due_date } = this.renewal;
    if (status === 'OVERDUE' || acknowledgeProblem(until, due_date, today)) return;
    this.#hold({ acknowledged_until: until }, today, now);
  }

  #holdByAnswer(today: PlainDate, now: Date): void {
    const { renewal } = this;
    const counting = this.#answers.filter(({ version }) => version >= renewal.answers_from);
    const answered_until = answeredUntil(counting.at(-1)?.on ?? null, renewal.due_date);
    const hold = holdOn({ ...renewal, answered_until }, today);
    const written = { writtenOn: this.#answers.at(-1)?.on ?? null, holds: hold?.because === 'answered' };
    const followed = answeredIn(renewal.sequence, written);
    const sequence = hold ? endedBy(followed, hold.because) : followed;
    const answered = { ...renewal, answered_until, sequence };
    if (isSameHold(this.holdOn(today), holdOn(answered, today)))
      this.renewal = { ...answered, next_alert_on: this.#nextLook(answered, today) };
    else this.#hold({ answered_until, sequence }, today, now);
  }

  #hold(change: RenewalChange, today: PlainDate, now: Date): void {
    const changed = { ...this.renewal, ...change } as StoredRenewal;
    const hold = holdOn(changed, today);
    const sequence = hold ? endedBy(changed.sequence, hold.because) : changed.sequence;
    const next_alert_on = this.#nextLook({ ...changed, sequence }, today);
    this.#change({ ...change, sequence, next_alert_on }, 'changed', today, now);
  }

  #nextLook(renewal: StoredRenewal, today: PlainDate): PlainDate | null {
    const isAsBefore = !isOwed(renewal) && isDeepStrictEqual(renewal.sequence, this.renewal.sequence);
    if (isAsBefore || isClosed(renewal.status)) return renewal.next_alert_on;
    const ladder = nextAlertOn(renewal.due_date, this.#recorded(renewal.due_date), renewal.status === 'OVERDUE');
    return nextLookOn(ladder, renewal, today);
  }

  #move(due_date: PlainDate, today: PlainDate, now: Date): void {
    if (due_date === this.renewal.due_date) return;
    const carried = carriedOver(this.#recorded(this.renewal.due_date), due_date, today);
    const before = this.#recorded(due_date);
    const last = this.ledger.findLast((one) => one.state === 'FIRED' && one.due_date === due_date);
    const withheld = this.renewal.withheld || (last !== undefined && this.#keptBack.has(nameOf(last)));
    const moved = move({ ...this.renewal, withheld }, { due_date }, [...new Set([...before, ...carried])], today);
    this.renewal = { ...this.renewal, due_date };
    const passed = carried.filter((rung) => !before.includes(rung));
    this.#record(passed, { state: 'SUPERSEDED', step: '0', silent: false, at: now });
    this.#change({ ...moved, due_date }, 'changed', today, now);
  }

  #take(step: Step, told: Told, today: PlainDate, now: Date): void {
    if (step !== 'same' && 'change' in step) this.#change(step.change, told, today, now);
  }

  #change(change: RenewalChange, told: Told, today: PlainDate, now: Date): void {
    const inText = Object.entries(change).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ]);
    this.renewal = { ...this.renewal, ...Object.fromEntries(inText), version: this.renewal.version + 1 };
    this.changes.push(renewalChanged({ ...this.renewal, updated_at: now.toISOString() }, told, today).data as Changed);
  }

  #recorded(due_date: PlainDate): Rung[] {
    return this.ledger.filter((one) => one.due_date === due_date && one.step === '0').map(({ rung }) => rung);
  }

  #record(rungs: readonly Rung[], entry: Omit<Entry, 'due_date' | 'rung'>): void {
    const { due_date } = this.renewal;
    this.ledger.push(...rungs.map((rung) => ({ ...entry, due_date, rung })));
  }
}

const blank: StoredRenewal = {
  id: '',
  customer_id: 'C-1',
  written_under: null,
  service_type: 'PERMIT',
  due_date: '',
  anchor_day: 1,
  days_until_due: 0,
  status: 'UPCOMING',
  policy_id: null,
  notes: null,
  assigned_agent: null,
  reminders: true,
  source_kind: null,
  source_id: null,
  predecessor_id: null,
  successor_id: null,
  successor_version: null,
  successor_made: null,
  started_at: null,
  start_released: false,
  acknowledged_until: null,
  acknowledged_note: null,
  acknowledged_by: null,
  acknowledged_at: null,
  answered_until: null,
  answers_from: 1,
  withheld: false,
  known_after_alert: null,
  sequence: null,
  cancel_reason: null,
  cancel_note: null,
  closed_at: null,
  closed_from: null,
  reopened_at: null,
  customer_agent: null,
  silent_through: null,
  silenced: false,
  next_alert_on: null,
  created_on: '',
  created_at: '2027-01-01T00:00:00.000Z',
  updated_at: '2027-01-01T00:00:00.000Z',
  version: 1,
};
