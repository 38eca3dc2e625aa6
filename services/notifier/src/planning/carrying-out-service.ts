import type { NewEvent } from '@ops/bus/outbox';
import { daysBetween } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import { localDate } from '@ops/contracts/local-time';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import type { Rung } from '@ops/contracts/resources/renewal';
import { describe } from '@ops/following/merge-service';
import type { Trx } from '@ops/service-kit/database';
import { isDatabaseUnavailable } from '@ops/service-kit/database-errors';
import type { WorkingTime } from '../calendar/calendar.rules.ts';
import { workingTime } from '../calendar/calendar-service.ts';
import type { Comms, Deps } from '../deps.ts';
import { type Followed, renewalOf, writtenUnder } from '../followed/followed.rules.ts';
import { ensureTask } from '../tasks/task-service.ts';
import { type Action, recordOf, unlessPointless } from './alert-actions.rules.ts';
import { alertPlanned, communicationSend } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { leaving } from './leaving.rules.ts';
import { forSeveral, type Named, renderSeveral } from './several-words.rules.ts';
import { allTemplates } from './template-store.ts';
import { bestWords, labelIn, localeOf, render, type Words } from './words.rules.ts';

/** Everything a batch is decided and carried out by, read once. */
export interface Known {
  plan: AlertPlan;
  templates: readonly Template[];
  time: WorkingTime;
  /** Undefined: comms-service is away. */
  cards: ReadonlyMap<string, CustomerCard> | undefined;
  renewals: ReadonlyMap<string, Followed>;
}

/** Of whom these ids lead to. */
export const readCards = async (comms: Comms, customerIds: readonly string[]): Promise<Map<string, CustomerCard>> =>
  (await describe(comms, customerIds)).cards;

/** Whose a locked renewal is may have come out since its customer was asked for. */
export async function completeCards(
  { comms }: Pick<Deps, 'comms'>,
  cards: ReadonlyMap<string, CustomerCard>,
  renewals: ReadonlyMap<string, Pick<Followed, 'customer_id'>>,
): Promise<ReadonlyMap<string, CustomerCard>> {
  const known = [...cards, ...[...cards.values()].map((card) => [card.id, card] as const)];
  const others = [...renewals.values()].map(({ customer_id }) => customer_id);
  const missing = others.filter((id) => !known.some(([of]) => of === id));
  return new Map(missing.length === 0 ? known : [...known, ...(await readCards(comms, missing))]);
}

export const readSettings = async (deps: Deps, trx: Trx) => ({
  plan: await readPlan(trx),
  templates: await allTemplates(trx),
  time: await workingTime(deps, trx),
});

/** When it is tried again: soon, where it was the database that was away or a lock that was held, which is no fault of its own. */
export function triedAgainAt(error: unknown, now: Date): Date {
  const seconds = isDatabaseUnavailable(error) ? 5 : 600;
  return new Date(now.getTime() + seconds * 1_000);
}

/** What became of an action, and what others are told of it. */
export interface CarriedOut {
  done: Action;
  news: NewEvent[];
}

/** `tighter` is the most urgent alert about the same date that writes to the customer. */
export async function carryOut(
  deps: Deps,
  trx: Trx,
  action: Action,
  known: Known,
  tighter: Rung | undefined,
  cause: Envelope | undefined,
): Promise<CarriedOut> {
  const renewal = renewalOf(action, known);
  const isTask = action.channel === 'TASK';
  const task_id = isTask ? await makeTask(deps, trx, action, renewal, known, cause) : action.task_id;
  const useful = unlessPointless(action, renewal, tighter, deps.today());
  const done = { ...useful, carried_out: true, task_id };
  const now = deps.now();
  if (isTask || done.outcome !== 'planned') return { done, news: [alertPlanned(done, null, now)] };
  const leaves = whenItLeaves(deps, done, known);
  const sent = { ...done, send_after: leaves.send_after, send_after_reason: leaves.send_after_reason };
  const words = wordsFor([sent], known, leaves);
  const news = communicationSend([sent], { ...words, customer_id: writtenUnder(renewal) }, now);
  return { done: sent, news: [news, alertPlanned(sent, recordOf(sent), now)] };
}

/** When a message leaves, and the day that is in the firm's zone. */
export interface Leaves extends Pick<Action, 'send_after' | 'send_after_reason'> {
  on: string;
}

export function whenItLeaves(deps: Deps, action: Action, known: Known): Leaves {
  const zone = requireCard(known, action).time_zone ?? deps.timeZone;
  const waits = leaving(deps.now(), { time: known.time, quietHours: known.plan.quiet_hours, zone }, action);
  const on = waits ? localDate(waits.at, deps.timeZone) : deps.today();
  return { send_after: waits?.at ?? null, send_after_reason: waits?.reason ?? null, on };
}

/** Whoever decides or carries out something about a renewal has locked its row, and so read it. */
/**
 * Makes the task also for a renewal that is over by now, or far from due: closed from the first, it is there when that
 * is reopened.
 */
function makeTask(
  deps: Deps,
  trx: Trx,
  action: Action,
  renewal: Followed,
  { cards }: Known,
  cause: Envelope | undefined,
) {
  const { renewal_id, customer_id, due_date, rung, service_label, priority } = action;
  const card = cards?.get(customer_id);
  const title = `${service_label} of ${card?.name ?? customer_id}`;
  const wanted = {
    renewal_id,
    customer_id,
    due_date,
    rung,
    priority: priority ?? 'NORMAL',
    title: isCall(action) ? `Call: ${title}` : title,
    note: noteIn(action),
    renewal_agent: renewal.assigned_agent,
    customer_agent: cards && (card?.assigned_agent ?? null),
  };
  return ensureTask(deps, trx, wanted, renewal, cause);
}

/** A step that asks for a task has somebody call the customer. */
const isCall = ({ does }: Pick<Action, 'does'>): boolean => typeof does?.task === 'string';

function noteIn(action: Action): string | null {
  const call = isCall(action) ? [callNote] : [];
  const words = [...call, ...(action.reason ? [action.reason.message] : [])];
  return words.length === 0 ? null : noteOf(action, words.join('. '));
}

const callNote = 'Call the customer, who has not answered';

export const noteOf = ({ rung }: Pick<Action, 'rung'>, message: string): string => `Alert ${rung}: ${message}`;

/** The customer's card, without which no message is decided. */
function requireCard({ cards }: Known, { customer_id }: Action): CustomerCard {
  const card = cards?.get(customer_id);
  if (!card) throw new Error(`comms-service does not know ${customer_id} any more`);
  return card;
}

/** Of several that go together the first, the most urgent, has the words. */
export function wordsFor(actions: readonly [Action, ...Action[]], known: Known, { on }: Leaves): Words {
  const [action] = actions;
  const { channel, rung } = action;
  const card = requireCard(known, action);
  const fitting = known.templates.filter((one) => one.channel === channel && one.rung === rung);
  const words = bestWords(actions.length > 1 ? fitting.flatMap(forSeveral) : fitting, card.locale);
  if (!words || channel === 'TASK') throw new Error(`there is no template for ${rung} by ${channel}`);
  const locale = localeOf(words, card.locale);
  const [first, ...others] = actions.map((one) => namedIn(one, locale, on)) as [Named, ...Named[]];
  return others.length > 0
    ? renderSeveral(words, { name: card.name, renewals: [first, ...others] }, locale, channel)
    : render(words, { name: card.name, ...first }, locale);
}

function namedIn(action: Action, locale: string, leavesOn: string): Named {
  const { service_label, service_labels, number, due_date, rung } = action;
  const service = labelIn(service_labels, locale) ?? service_label;
  return { service, number, due_date, days: daysIn(action, leavesOn), overdue: rung === 'OVERDUE' };
}

/**
 * Counted on the day it leaves: the alert may have waited, and its message may wait for days. Words for days that are left say
 * none once it is past.
 */
function daysIn({ rung, due_date }: Action, leavesOn: string): number {
  const left = daysBetween(leavesOn, due_date);
  return rung === 'OVERDUE' ? left : Math.max(left, 0);
}
