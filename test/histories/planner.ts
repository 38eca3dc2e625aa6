import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import { taskDueOn } from '../../services/notifier/src/calendar/calendar.rules.ts';
import { againstLeaving, type Followed, heldBecause } from '../../services/notifier/src/followed/followed.rules.ts';
import {
  type Action,
  againstMessage,
  asksForTask,
  byDate,
  isToWrite,
  isUnsaid,
  newAction,
  newestAlert,
  noted,
  notYet,
  overtaken,
  recordOf,
  replaced,
  tighterThan,
  unlessPointless,
  waitsForLetter,
} from '../../services/notifier/src/planning/alert-actions.rules.ts';
import {
  decideEnd,
  givenUpFrom,
  isAwaited,
  lacksEnd,
  letterOf,
  newestOf,
  overtakenBecause,
  saysUnreached,
} from '../../services/notifier/src/planning/ends.rules.ts';
import type { Heard } from '../../services/notifier/src/planning/heard.rules.ts';
import { learn } from '../../services/notifier/src/planning/learning.rules.ts';
import { afterNight, leaving, type Waiting } from '../../services/notifier/src/planning/leaving.rules.ts';
import {
  byUrgency,
  compose,
  type Letter,
  type MessageAction,
} from '../../services/notifier/src/planning/letter.rules.ts';
import {
  type Decision,
  decideAlert,
  isMessage,
  superseded,
  wayOf,
} from '../../services/notifier/src/planning/planning.rules.ts';
import {
  currentOf,
  following,
  patched,
  raised,
  type StoredTask,
  standing,
  toConfirm,
  untouched,
} from '../../services/notifier/src/tasks/task.rules.ts';
import { type Alert, type Changed, followedBy } from './register.ts';

type Step = Parameters<typeof wayOf>[0]['steps'][Rung];
const byApp = (task: Step['task']): Step => ({ channels: ['MESSAGING_APP'], task, outreach: [] });
const byBoth = (task: Step['task']): Step => ({ channels: ['MESSAGING_APP', 'EMAIL'], task, outreach: [] });
const steps: Record<Rung, Step> = {
  '90': byBoth(null),
  '60': { ...byBoth(null), outreach: [...(followedBy['60'] ?? [])] },
  '30': byBoth(null),
  '14': byApp('HIGH'),
  '7': byApp('URGENT'),
  OVERDUE: byBoth('URGENT'),
};
const fall_through: OutsideType[] = ['MESSAGING_APP', 'EMAIL', 'SMS'];
const plan = { steps, fall_through };

/** A message about one renewal or several, as it was written. */
export interface Written {
  record: string;
  at: Date;
  channel: OutsideType;
  /** The run that fired it, or the message whose place it takes. */
  together: string;
  /** What it names, the most urgent first. */
  named: readonly [MessageAction, ...MessageAction[]];
}

/** One attempt of a message to leave. */
export interface Send {
  message: Written;
  attempt: number;
  since: Date;
  due: Date;
  status: 'QUEUED' | 'LEFT' | 'CANCELLED' | 'REFUSED';
  reason: Failure | null;
}

/**
 * Of the outside: how a renewal stands, who the customer is, when messages leave, and who hears that a hold, or that nobody knew
 * the customer, kept something back.
 */
export interface Outside {
  now(): Date;
  today(): string;
  standing(renewal_id: string): Changed;
  card(): CustomerCard | undefined;
  waiting: Waiting;
  held(action: Action): void;
  unknown(action: Action): void;
}

/** The alerts of one customer as notifier keeps them, decided by that service's rules; its tables are these fields. */
export class Planner {
  actions: Action[] = [];
  tasks: StoredTask[] = [];
  written: Written[] = [];
  sends: Send[] = [];
  /** When the alert of an action is to be looked at again. */
  lookAgain = new Map<string, Date>();
  readonly #outside: Outside;
  readonly #followed = new Map<string, Followed>();
  /** Messages that were stopped, of which that is yet to be heard. */
  #stopped: Send[] = [];
  #ids = 0;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  plan(alert: Alert): void {
    this.#learn({ ...alert, written_under: null, status: alert.rung === 'OVERDUE' ? 'OVERDUE' : 'UPCOMING' }, false);
    const about = {
      rung: alert.rung,
      ...wayOf(plan, alert),
      dueDate: alert.due_date,
      renewal: this.#renewal(alert),
      card: this.#outside.card(),
      today: this.#outside.today(),
      silent: alert.silent,
    };
    const added = decideAlert(about).map((one) =>
      newAction(this.#newId(), one, alert, isMessage(one) ? alert.run_id : null),
    );
    this.actions.push(...added);
    const own = byDate(this.actions.filter((one) => isAbout(one, alert)));
    this.#stop(overtaken(own).map(({ action, by }) => ({ action, reason: superseded(by) })));
    for (const action of added.filter((one) => !waitsForLetter(one)))
      this.#carryOut(action, tighterThan(alert, this.#byDate()));
  }

  follow(changed: Changed): void {
    this.#learn({ ...changed, written_under: null }, true);
    const renewal = this.#renewal(changed);
    const today = this.#outside.today();
    const messages = this.#of(renewal).filter((one) => isMessage(one) && one.outcome === 'planned');
    this.#stop(
      messages.flatMap((action) => {
        const reason = againstLeaving(renewal, action.due_date, 1, today);
        return reason ? [{ action, reason }] : [];
      }),
    );
    this.#markWithoutEnd([renewal]);
    const isAskedFor = newestOf(renewal, this.#byDate()).some(asksForTask);
    const own = this.tasks.filter(({ renewal_id }) => renewal_id === renewal.renewal_id);
    for (const task of following(own)) this.#saveTask(standing(task, renewal, this.#taskNow(), isAskedFor));
  }

  /** What a run fired, and what takes the place of others, is put into words. */
  writeLetters(): void {
    this.#hearStopped();
    const waiting = this.actions.filter(isToWrite);
    for (const [together, own] of Map.groupBy(waiting, (one) => one.together as string)) {
      const decided = this.#byDate();
      const looked = own.map((one) =>
        unlessPointless(one, this.#renewal(one), tighterThan(one, decided), this.#outside.today()),
      );
      for (const one of looked.filter(({ outcome }) => outcome !== 'planned')) {
        this.#save({ ...one, carried_out: true });
        this.#tell(one);
      }
      const { letters, added, dropped } = compose(looked.filter(waitsForLetter), decided, () => this.#newId());
      this.actions = [...this.actions.filter((one) => !dropped.some(({ id }) => id === one.id)), ...added];
      for (const letter of letters) this.#write(letter, together);
    }
  }

  /** The next moment at which a message is to leave. */
  nextLeaving(): Date | undefined {
    const waiting = this.sends.filter(({ status }) => status === 'QUEUED');
    return waiting.map(({ due }) => due).toSorted((a, b) => a.getTime() - b.getTime())[0];
  }

  /** What is due leaves, if the guard and the customer's record let it, and it is time. */
  leave(): Send[] {
    const due = this.sends.filter((one) => one.status === 'QUEUED' && one.due <= this.#outside.now());
    const left = due.filter((send) => send.status === 'QUEUED' && this.#mayLeave(send));
    for (const send of left) send.status = 'LEFT';
    this.#hearStopped();
    return left;
  }

  hear(record: string, heard: Heard): void {
    this.#hear(record, { ...heard, occurred_at: heard.at });
  }

  /** What is due to be looked at again. */
  look(): void {
    const isDue = (at: Date) => at <= this.#outside.now();
    const due = new Set([...this.lookAgain].filter(([, at]) => isDue(at)).map(([id]) => id));
    for (const id of due) this.lookAgain.delete(id);
    const renewals = new Set(this.actions.filter(({ id }) => due.has(id)).map(({ renewal_id }) => renewal_id));
    for (const renewal_id of renewals) this.#settle(this.#renewal({ renewal_id }));
    this.writeLetters();
  }

  /** Staff send again the last message that failed, unless it says what does not hold any more. */
  sendAgain(): void {
    const failed = this.actions.findLast((one) => isMessage(one) && one.heard?.status === 'FAILED');
    const message = failed && this.written.find(({ record }) => record === recordOf(failed));
    if (!message || message.named.some((one) => this.#isOvertaken(one))) return;
    const { attempt } = failed.heard as Heard;
    if (this.sends.some((one) => one.message === message && one.attempt > attempt)) return;
    this.#queue(message, attempt + 1, null);
  }

  closeTask(renewal_id: string): void {
    const open = this.tasks.find((one) => one.renewal_id === renewal_id && one.status === 'OPEN');
    if (open) this.#saveTask(patched(open, { status: 'DONE' }, this.#taskNow()));
  }

  /** Upstream said that what a renewal was watched for has ended. */
  confirm({ renewal_id, customer_id, due_date }: Changed, cancelled: boolean): void {
    const source = { kind: 'policy' as const, id: renewal_id };
    const occurred_at = this.#outside.now().toISOString();
    const about = { customer_id, renewal_id, service_type: 'PERMIT', service_label: 'Permit', due_date, occurred_at };
    const told = { ...about, assigned_agent: null, source, cancelled };
    this.tasks.push(toConfirm(told, { id: this.#newId(), customer_agent: null }, this.#taskNow()));
  }

  #write({ channel, members }: Letter, together: string): void {
    const [first, ...others] = members;
    const leaves = leaving(this.#outside.now(), this.#outside.waiting, first);
    const record = this.#newId();
    const when = { send_after: leaves?.at ?? null, send_after_reason: leaves?.reason ?? null };
    const inIt = (one: MessageAction): MessageAction => ({ ...one, carried_out: true, letter_id: record, ...when });
    const at = this.#outside.now();
    const message: Written = { record, at, channel, together, named: [inIt(first), ...others.map(inIt)] };
    for (const one of message.named) this.#save(one);
    this.written.push(message);
    this.#queue(message, 1, leaves?.at ?? null);
  }

  #isOvertaken(action: Action): boolean {
    const renewal = this.#outside.standing(action.renewal_id);
    return overtakenBecause(action, renewal, newestAlert(renewal, this.#byDate())) !== null;
  }

  #mayLeave(send: Send): boolean {
    const { message, attempt } = send;
    const stops = this.#against(send);
    if (stops.length > 0) {
      const reason = stops[0]?.reason ?? null;
      Object.assign(send, { status: 'CANCELLED', reason });
      this.#stopped.push(send);
      this.#stop(stops);
      return false;
    }
    const refusal = this.#refusal(message.channel);
    if (refusal) {
      Object.assign(send, { status: 'REFUSED', reason: refusal });
      const at = this.#outside.now().toISOString();
      this.#hear(message.record, { status: 'FAILED', attempt, failure: refusal, occurred_at: at });
      return false;
    }
    const { waiting } = this.#outside;
    const now = this.#outside.now();
    const first = message.named.toSorted(byUrgency)[0] as MessageAction;
    const until = attempt === 1 ? leaving(now, waiting, first) : afterNight(now, waiting);
    if (until) send.due = until.at;
    return until === null;
  }

  /** What the guard finds against it, of each renewal that it names. */
  #against({ message: { record }, attempt }: Send): { action: Action; reason: Failure }[] {
    const today = this.#outside.today();
    return this.actions.flatMap((action) => {
      if (recordOf(action) !== record) return [];
      const standing = this.#outside.standing(action.renewal_id);
      const reason = againstMessage(action, standing, this.#byDate(), { attempt, today });
      return reason ? [{ action, reason }] : [];
    });
  }

  #hear(record: string, told: Pick<Told, 'status' | 'attempt' | 'failure' | 'occurred_at'>): void {
    const data = { ...told, communication_id: record } as Told;
    const learnt = learn(this.#byDate(), data, this.#followed, this.#outside.today());
    const inIt = this.actions.filter((one) => recordOf(one) === record);
    for (const { before, after } of learnt) {
      this.#save({ ...after, ...(after.carried_out ? {} : { send_after: null, send_after_reason: null }) });
      const limit = after.heard && givenUpFrom(after);
      if (limit) this.lookAgain.set(after.id, limit);
      else if (after.heard) this.lookAgain.delete(after.id);
      if (after.outcome !== before.outcome) this.#tell(after);
    }
    const failed = learnt.filter(({ after }) => after.heard?.status === 'FAILED').map(({ after }) => after.renewal_id);
    for (const renewal_id of new Set(failed)) this.#settle(this.#renewal({ renewal_id }));
    if (told.status === 'CANCELLED') this.#markWithoutEnd(inIt.map((one) => this.#renewal(one)));
  }

  #hearStopped(): void {
    for (const { message, attempt, reason } of this.#stopped.splice(0))
      this.#hear(message.record, {
        status: 'CANCELLED',
        attempt,
        failure: reason && { ...reason, detail: null },
        occurred_at: this.#outside.now().toISOString(),
      } as Parameters<Planner['hear']>[1] & Told);
  }

  #markWithoutEnd(renewals: readonly Followed[]): void {
    for (const renewal of renewals) {
      const alert = newestOf(renewal, this.#byDate());
      const [first] = alert;
      if (first && lacksEnd(alert, this.#outside.now())) this.lookAgain.set(first.id, this.#outside.now());
    }
  }

  #settle(renewal: Followed): void {
    const alert = newestOf(renewal, this.#byDate());
    const [first] = alert;
    if (!first) return;
    const now = this.#outside.now();
    if (heldBecause(renewal, this.#outside.today())) {
      const over = alert.find((one) => !isAwaited(one, now));
      if (renewal.hold?.until && over) this.lookAgain.set(over.id, new Date(`${renewal.hold.until}T00:00:00Z`));
      return;
    }
    const about = { rung: first.rung, ...wayOf(plan, first), renewal, card: this.#outside.card() };
    const { givenUp, decisions } = decideEnd(alert, about, now);
    for (const one of givenUp) this.#save({ ...one, given_up_at: now });
    const said = alert.find(saysUnreached);
    const more = decisions.find(({ channel }) => channel === 'TASK')?.reason;
    if (said && more) this.#save({ ...said, reason: more });
    const before = replaced(alert, this.actions);
    this.#actOn(before, said ? decisions.filter(isMessage) : decisions, letterOf(givenUp));
  }

  #actOn(before: readonly Action[], decisions: readonly Decision[], insteadOf: string | null): void {
    const [first] = before as [Action, ...Action[]];
    const added = notYet(before, decisions).map((one) =>
      newAction(this.#newId(), one, first, isMessage(one) ? insteadOf : null),
    );
    const after = noted(before, decisions);
    this.actions = [...replaced(this.actions, after), ...added];
    for (const action of [...added, ...after.filter(isUnsaid)].filter((one) => !waitsForLetter(one)))
      this.#carryOut(action, undefined);
  }

  /** All but what is to be put into words. */
  #carryOut(action: Action, tighter: Rung | undefined): void {
    const task_id = action.channel === 'TASK' ? this.#ensureTask(action) : null;
    const useful = unlessPointless(action, this.#renewal(action), tighter, this.#outside.today());
    if (isMessage(useful) && useful.outcome === 'planned') throw new Error(`${action.id} is told of by itself`);
    const done = { ...useful, carried_out: true, task_id };
    this.#save(done);
    this.#tell(done);
  }

  /** What has not left yet does not leave; of what is held, what a person sent again does. */
  #stop(stops: readonly { action: Action; reason: Failure }[]): void {
    const reasons = new Map(stops.map(({ action, reason }) => [recordOf(action), reason]));
    const held = new Set(stops.filter(({ reason }) => reason.code === 'held').map(({ action }) => recordOf(action)));
    for (const send of this.sends) {
      const reason = reasons.get(send.message.record);
      const isSpared = send.attempt > 1 && held.has(send.message.record);
      if (!reason || isSpared || send.status !== 'QUEUED') continue;
      Object.assign(send, { status: 'CANCELLED', reason });
      this.#stopped.push(send);
    }
    for (const { action, reason } of stops) {
      const own = this.sends.filter(({ message }) => message.record === recordOf(action));
      if (own.some(({ status }) => status !== 'CANCELLED')) continue;
      const stopped: Action = { ...action, outcome: 'cancelled', reason };
      this.#save(stopped);
      if (action.carried_out) this.#tell(stopped);
    }
  }

  #tell(action: Action): void {
    if (action.reason?.code === 'held') this.#outside.held(action);
    if (isMessage(action) && action.reason?.code === 'unknown_customer') this.#outside.unknown(action);
  }

  /** As comms-service answers for the customer's record at the last moment. */
  #refusal(channel: OutsideType): Failure | null {
    const card = this.#outside.card();
    if (!card) return null;
    if (card.do_not_contact) return { code: 'do_not_contact', message: 'not to be contacted' };
    if (card.opted_out.includes(channel)) return { code: 'opted_out', message: 'opted out' };
    const addresses = channel === 'EMAIL' ? card.emails : card.phones;
    return addresses.length === 0 ? { code: 'no_recipient', message: 'no address' } : null;
  }

  #ensureTask(action: Action): string {
    const renewal = this.#renewal(action);
    const { due_date, rung, customer_id, renewal_id } = action;
    const current = currentOf(this.tasks.filter((one) => one.renewal_id === renewal_id));
    const agents = { renewal_agent: null, customer_agent: null };
    const wanted = { renewal_id, customer_id, due_date, rung, title: 'Permit', note: action.reason?.message ?? null };
    const priority = action.priority ?? 'NORMAL';
    const now = this.#taskNow();
    if (current && current.put_off_to !== due_date) {
      this.#saveTask(standing(raised(current, { ...wanted, ...agents, priority }), renewal, now));
      return current.id;
    }
    const { at, dueOn } = now;
    const id = this.#newId();
    const asked = { renewal_id, customer_id, rung, priority, title: 'Permit', notes: wanted.note };
    const due = { alerted_date: due_date, due_date: dueOn(due_date), due_by_itself: dueOn(due_date) };
    const made: StoredTask = { ...untouched(id, at), ...asked, ...due, ...agents, assigned_agent: null };
    this.tasks.push(standing(made, renewal, now));
    return id;
  }

  #queue(message: Written, attempt: number, due: Date | null): void {
    const since = this.#outside.now();
    this.sends.push({ message, attempt, since, due: due ?? since, status: 'QUEUED', reason: null });
  }

  #taskNow = () => {
    const today = this.#outside.today();
    const dueOn = (date: string) => taskDueOn(this.#outside.waiting.time, date, today);
    return { at: this.#outside.now().toISOString(), today, dueOn };
  };

  #learn(told: Followed, overTheSameVersion: boolean): void {
    const known = this.#followed.get(told.renewal_id)?.version ?? 0;
    if (told.version > known || (overTheSameVersion && told.version === known))
      this.#followed.set(told.renewal_id, told);
  }

  #renewal({ renewal_id }: Pick<Action, 'renewal_id'>): Followed {
    const followed = this.#followed.get(renewal_id);
    if (!followed) throw new Error('nobody told of the renewal');
    return followed;
  }

  #byDate = () => byDate(this.actions);

  #of = ({ renewal_id }: Pick<Action, 'renewal_id'>): Action[] =>
    this.actions.filter((one) => one.renewal_id === renewal_id);

  #save(action: Action): void {
    this.actions = replaced(this.actions, [action]);
  }

  #saveTask(task: StoredTask): void {
    this.tasks = this.tasks.map((one) => (one.id === task.id ? task : one));
  }

  /** In the order they are given, as those of the services are. */
  #newId(): string {
    this.#ids += 1;
    return String(this.#ids).padStart(6, '0');
  }
}

type Told = Parameters<typeof learn>[1];

const isAbout = (one: Action, alert: Pick<Alert, 'renewal_id' | 'due_date'>): boolean =>
  one.renewal_id === alert.renewal_id && one.due_date === alert.due_date;
