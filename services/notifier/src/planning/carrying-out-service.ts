import type { NewEvent } from '@ops/bus/outbox';
import { daysBetween } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import type { Rung } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';
import type { Comms, Deps } from '../deps.ts';
import { type Followed, mootBecause } from '../followed/followed.rules.ts';
import { taskMootBecause } from '../tasks/task.rules.ts';
import { ensureTask } from '../tasks/task-service.ts';
import type { Action } from './alert-actions.rules.ts';
import { alertPlanned, communicationSend } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { superseded } from './planning.rules.ts';
import { quietUntil } from './quiet-hours.rules.ts';
import { allTemplates } from './template-store.ts';
import { bestWords, dateLocale, render, type Words } from './words.rules.ts';

/** Everything a batch is decided and carried out by, read once. */
export interface Known {
  plan: AlertPlan;
  templates: readonly Template[];
  /** Undefined: comms-service is away. */
  cards: ReadonlyMap<string, CustomerCard> | undefined;
  renewals: ReadonlyMap<string, Followed>;
}

export async function readCards(comms: Comms, customerIds: readonly string[]): Promise<Map<string, CustomerCard>> {
  const cards = await comms.cards([...new Set(customerIds)]);
  return new Map(cards.map((card) => [card.id, card]));
}

export const readSettings = async (trx: Trx) => ({ plan: await readPlan(trx), templates: await allTemplates(trx) });

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
  cause: Envelope,
): Promise<CarriedOut> {
  const renewal = renewalOf(action, known);
  const isTask = action.channel === 'TASK';
  const task_id = isTask ? await makeTask(deps, trx, action, renewal, known, cause) : action.task_id;
  const useful = unlessPointless(action, renewal, tighter, deps.today());
  const done = { ...useful, carried_out: true, task_id };
  const now = deps.now();
  if (isTask || done.outcome !== 'planned') return { done, news: [alertPlanned(done, null, now)] };
  const card = requireCard(known, done);
  const sent = { ...done, send_after: quietUntil(now, known.plan.quiet_hours, card.time_zone ?? deps.timeZone) };
  const words = wordsFor(sent, card, known, deps.today());
  return { done: sent, news: [communicationSend(sent, words, now), alertPlanned(sent, sent.id, now)] };
}

/** Whoever decides or carries out something about a renewal has locked its row, and so read it. */
export function renewalOf({ renewal_id }: Pick<Action, 'renewal_id'>, { renewals }: Known): Followed {
  const renewal = renewals.get(renewal_id);
  if (!renewal) throw new Error(`renewal ${renewal_id} was not read`);
  return renewal;
}

/** It may have been decided by another queue, or long ago: the renewal was closed since, or something more urgent said. */
function unlessPointless(action: Action, renewal: Followed, tighter: Rung | undefined, today: string): Action {
  if (action.outcome !== 'planned') return action;
  const reason =
    action.channel === 'TASK'
      ? taskMootBecause(renewal, action, today)
      : (mootBecause(renewal, action.due_date) ?? (tighter ? superseded(tighter) : null));
  return reason ? { ...action, outcome: 'cancelled', reason } : action;
}

/** Also of a renewal that is over by now, or far from due: closed from the first, it is there when that is reopened. */
function makeTask(
  deps: Deps,
  trx: Trx,
  { renewal_id, customer_id, due_date, rung, service_label, priority, reason }: Action,
  renewal: Followed,
  { cards }: Known,
  cause: Envelope,
) {
  const card = cards?.get(customer_id);
  const wanted = {
    renewal_id,
    customer_id,
    due_date,
    rung,
    priority: priority ?? 'NORMAL',
    title: `${service_label} of ${card?.name ?? customer_id}, due ${due_date}`,
    note: reason && `Alert ${rung}: ${reason.message}`,
    renewal_agent: renewal.assigned_agent,
    customer_agent: cards && (card?.assigned_agent ?? null),
  };
  return ensureTask(deps, trx, wanted, renewal, cause);
}

/** It was there when the message was decided. */
function requireCard({ cards }: Known, { customer_id }: Action): CustomerCard {
  const card = cards?.get(customer_id);
  if (!card) throw new Error(`comms-service does not know ${customer_id} any more`);
  return card;
}

function wordsFor(action: Action, card: CustomerCard, { templates }: Known, today: string): Words {
  const { channel, rung, service_label: service, due_date } = action;
  const fitting = templates.filter((one) => one.channel === channel && one.rung === rung);
  const words = bestWords(fitting, card.locale);
  if (!words) throw new Error(`there is no template for ${rung} by ${channel}`);
  const days = daysIn(action, today);
  return render(words, { name: card.name, service, due_date, days }, dateLocale(words, card.locale));
}

/** Counted on the day it is handed over: the alert may have waited. Words for days that are left say none once it is past. */
function daysIn({ rung, due_date }: Action, today: string): number {
  const left = daysBetween(today, due_date);
  return rung === 'OVERDUE' ? left : Math.max(left, 0);
}
