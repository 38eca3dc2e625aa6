import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import {
  type Followed,
  heldBecause,
  mootBecause,
  stopBecause,
} from '../../services/notifier/src/followed/followed.rules.ts';
import {
  type Action,
  asksForTask,
  isUnsaid,
  keyOf,
  newAction,
  newestAlert,
  noted,
  notYet,
  overtaken,
  replaced,
  tighterThan,
} from '../../services/notifier/src/planning/alert-actions.rules.ts';
import {
  decideEnd,
  givenUpFrom,
  isAwaited,
  lacksEnd,
  overtakenBecause,
  saysUnreached,
} from '../../services/notifier/src/planning/ends.rules.ts';
import { type Heard, stronger } from '../../services/notifier/src/planning/heard.rules.ts';
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
  taskMootBecause,
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

/** One attempt of a message to leave. */
export interface Send {
  action: string;
  attempt: number;
  since: Date;
  status: 'QUEUED' | 'LEFT' | 'CANCELLED' | 'REFUSED';
  reason: Failure | null;
}

/** Of the outside: how the renewal stands, who the customer is, and who hears that a hold, or that nobody knew the customer, kept
 * something back. */
export interface Outside {
  now(): Date;
  today(): string;
  standing(): Changed;
  card(): CustomerCard | undefined;
  held(action: Action): void;
  unknown(action: Action): void;
}

/** The alerts of one renewal as notifier keeps them, decided by that service's rules; its tables are these fields. */
export class Planner {
  actions: Action[] = [];
  tasks: StoredTask[] = [];
  sends: Send[] = [];
  /** When the alert of an action is to be looked at again. */
  lookAgain = new Map<string, Date>();
  readonly #outside: Outside;
  #followed: Followed | undefined;
  #ids = 0;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  plan(alert: Alert): void {
    const status = alert.rung === 'OVERDUE' ? 'OVERDUE' : 'UPCOMING';
    this.#learn({ ...alert, status }, false);
    const about = {
      rung: alert.rung,
      ...wayOf(plan, alert),
      dueDate: alert.due_date,
      renewal: this.#renewal(),
      card: this.#outside.card(),
      today: this.#outside.today(),
      silent: alert.silent,
    };
    const added = decideAlert(about).map((one) => newAction(this.#newId(), one, alert));
    this.actions.push(...added);
    const stops = overtaken(this.#byAlert(alert.due_date));
    for (const { action, by } of stops) this.#stop(action, superseded(by));
    for (const action of added) this.#carryOut(action, tighterThan(alert, this.#byAlert(alert.due_date)));
  }

  follow(changed: Changed): void {
    this.#learn(changed, true);
    const renewal = this.#renewal();
    for (const action of this.actions.filter((one) => isMessage(one) && one.outcome === 'planned')) {
      const reason = stopBecause(renewal, action.due_date) ?? heldBecause(renewal, this.#outside.today());
      if (reason) this.#stop(action, reason);
    }
    const [first] = this.#newest();
    if (first && lacksEnd(this.#newest(), this.#outside.now())) this.lookAgain.set(first.id, this.#outside.now());
    const isAskedFor = this.#newest().some(asksForTask);
    for (const task of following(this.tasks)) this.#saveTask(standing(task, renewal, this.#taskNow(), isAskedFor));
  }

  /** What waits leaves, if the guard and the customer's record let it. */
  leave(): { action: Action; attempt: number }[] {
    const waiting = this.sends.filter(({ status }) => status === 'QUEUED');
    return waiting.flatMap((send) => {
      const action = this.#action(send.action);
      const stop = this.#stopBefore(action, send.attempt);
      if (stop) {
        this.#stop(action, stop);
        send.status = 'CANCELLED';
        send.reason = stop;
        return [];
      }
      const refusal = this.#refusal(action);
      if (!refusal) {
        send.status = 'LEFT';
        return [{ action, attempt: send.attempt }];
      }
      Object.assign(send, { status: 'REFUSED', reason: refusal });
      this.hear(action.id, this.#heard('FAILED', send.attempt, refusal));
      return [];
    });
  }

  hear(id: string, heard: Heard): void {
    const before = this.#action(id);
    const strongest = stronger(before.heard, heard);
    if (strongest === before.heard) return;
    const isRefused = strongest.status === 'FAILED' && refusals.has(strongest.failure?.code ?? '');
    const refused = isRefused && before.outcome === 'planned' ? { outcome: 'not_sent', reason: strongest.failure } : {};
    const after = { ...before, heard: strongest, ...refused } as Action;
    this.#save(after);
    const limit = isMessage(after) ? givenUpFrom(after) : null;
    if (limit) this.lookAgain.set(id, limit);
    else this.lookAgain.delete(id);
    if (strongest.status === 'FAILED') this.#settle();
  }

  /** What is due to be looked at again. */
  look(): void {
    const isDue = (at: Date) => at <= this.#outside.now();
    if (![...this.lookAgain.values()].some(isDue)) return;
    this.#settle();
    for (const [id, at] of this.lookAgain) if (isDue(at)) this.lookAgain.delete(id);
  }

  /** Staff send again the last message that failed, unless it says what does not hold any more. */
  sendAgain(): void {
    const failed = this.actions.findLast((one) => isMessage(one) && one.heard?.status === 'FAILED');
    const renewal = this.#outside.standing();
    if (!failed || overtakenBecause(failed, renewal, newestAlert(renewal, this.#byAlert(renewal.due_date)))) return;
    const { attempt } = failed.heard as Heard;
    if (this.sends.some((one) => one.action === failed.id && one.attempt > attempt)) return;
    this.#queue(failed.id, attempt + 1);
  }

  closeTask(): void {
    const open = this.tasks.find(({ status }) => status === 'OPEN');
    if (open) this.#saveTask(patched(open, { status: 'DONE' }, this.#taskNow()));
  }

  #settle(): void {
    const renewal = this.#renewal();
    const alert = this.#newest();
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
    this.#actOn(replaced(alert, this.actions), said ? decisions.filter(isMessage) : decisions);
  }

  #actOn(before: readonly Action[], decisions: readonly Decision[]): void {
    const [first] = before as [Action, ...Action[]];
    const added = notYet(before, decisions).map((one) => newAction(this.#newId(), one, first));
    const after = noted(before, decisions);
    this.actions = [...replaced(this.actions, after), ...added];
    for (const action of [...added, ...after.filter(isUnsaid)]) this.#carryOut(action, undefined);
  }

  #carryOut(action: Action, tighter: Rung | undefined): void {
    const renewal = this.#renewal();
    const today = this.#outside.today();
    const isTask = action.channel === 'TASK';
    const task_id = isTask ? this.#ensureTask(action) : null;
    const pointless = isTask
      ? taskMootBecause(renewal, action, today)
      : (mootBecause(renewal, action.due_date) ??
        heldBecause(renewal, today) ??
        (tighter ? superseded(tighter) : null));
    const isStopped = action.outcome === 'planned' && pointless !== null;
    const done: Action = {
      ...action,
      ...(isStopped ? { outcome: 'cancelled', reason: pointless } : {}),
      carried_out: true,
      task_id,
    };
    this.#save(done);
    if (!isTask && done.outcome === 'planned') this.#queue(done.id, 1);
    this.#tell(done);
  }

  /** What has not left yet does not leave; of what is held, what a person sent again does. */
  #stop(action: Action, reason: Failure): void {
    const own = this.sends.filter((one) => one.action === action.id);
    const spared = (one: Send) => one.attempt > 1 && reason.code === 'held';
    for (const one of own)
      if (one.status === 'QUEUED' && !spared(one)) Object.assign(one, { status: 'CANCELLED', reason });
    if (own.some((one) => one.status !== 'CANCELLED')) return;
    const stopped: Action = { ...action, outcome: 'cancelled', reason };
    this.#save(stopped);
    this.#tell(stopped);
  }

  #tell(action: Action): void {
    if (action.reason?.code === 'held') this.#outside.held(action);
    if (isMessage(action) && action.reason?.code === 'unknown_customer') this.#outside.unknown(action);
  }

  #stopBefore(action: Action, attempt: number): Failure | null {
    const renewal = this.#outside.standing();
    const held = attempt === 1 ? heldBecause(renewal, this.#outside.today()) : null;
    const tighter = tighterThan(action, this.#byAlert(action.due_date));
    return stopBecause(renewal, action.due_date) ?? held ?? (tighter ? superseded(tighter) : null);
  }

  /** As comms-service answers for the customer's record at the last moment. */
  #refusal({ channel }: Action): Failure | null {
    const card = this.#outside.card();
    if (!card || channel === 'TASK') return null;
    if (card.do_not_contact) return { code: 'do_not_contact', message: 'not to be contacted' };
    if (card.opted_out.includes(channel)) return { code: 'opted_out', message: 'opted out' };
    const addresses = channel === 'EMAIL' ? card.emails : card.phones;
    return addresses.length === 0 ? { code: 'no_recipient', message: 'no address' } : null;
  }

  #ensureTask(action: Action): string {
    const renewal = this.#renewal();
    const { due_date, rung, customer_id, renewal_id } = action;
    const current = currentOf(this.tasks);
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

  #queue(action: string, attempt: number): void {
    this.sends.push({ action, attempt, since: this.#outside.now(), status: 'QUEUED', reason: null });
  }

  #heard = (status: Heard['status'], attempt: number, failure: Failure | null): Heard => ({
    status,
    attempt,
    failure,
    at: this.#outside.now().toISOString(),
  });

  /** A firm that works every day. */
  #taskNow = () => {
    const today = this.#outside.today();
    const dueOn = (date: string) => (date < today ? today : date);
    return { at: this.#outside.now().toISOString(), today, dueOn };
  };

  #learn(told: Followed, overTheSameVersion: boolean): void {
    const known = this.#followed?.version ?? 0;
    if (told.version > known || (overTheSameVersion && told.version === known)) this.#followed = told;
  }

  #renewal(): Followed {
    if (!this.#followed) throw new Error('nobody told of the renewal');
    return this.#followed;
  }

  /** Of the date it has now; none when nothing is to be done about that any more. */
  #newest(): Action[] {
    const renewal = this.#renewal();
    const all = this.#byAlert(renewal.due_date);
    const newest = newestAlert(renewal, all);
    if (mootBecause(renewal, renewal.due_date) || !newest) return [];
    return all.get(keyOf({ ...renewal, ...newest })) ?? [];
  }

  #byAlert = (due_date: string): Map<string, Action[]> =>
    Map.groupBy(
      this.actions.filter((one) => one.due_date === due_date),
      keyOf,
    );

  #action = (id: string): Action => this.actions.find((one) => one.id === id) as Action;

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

const refusals: ReadonlySet<string> = new Set(['opted_out', 'no_recipient', 'do_not_contact']);
