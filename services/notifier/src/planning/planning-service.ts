import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { ensureTask } from '../tasks/task-service.ts';
import { type Action, actionsOf, insertActions, saveCarriedOut } from './action-store.ts';
import { alertPlanned, communicationSend } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { learn } from './followed-store.ts';
import { type Carrier, carrierOf, decideAlert, type Followed, mootBecause, taskMootBecause } from './planning.ts';
import { quietUntil } from './quiet-hours.ts';
import { allTemplates } from './template-store.ts';
import { bestWords, dateLocale, render, type Words } from './words.ts';

type Triggered = EventData<'RENEWAL_TRIGGERED'>;

/** Everything a batch is decided by, read once. */
interface Known {
  plan: AlertPlan;
  templates: readonly Template[];
  cards: ReadonlyMap<string, CustomerCard>;
  renewals: ReadonlyMap<string, Followed>;
}

/**
 * What one queue does about alerts that fired. The first queue to meet an alert decides for all of them, so that they
 * agree on what stands in for what; each carries out its own share, so that trouble with one holds up no other.
 */
export async function planAlerts(
  deps: Deps,
  trx: Trx,
  carrier: Carrier,
  triggered: readonly Envelope[],
): Promise<void> {
  const alerts = triggered.map((cause) => ({ cause, alert: events.RENEWAL_TRIGGERED.data.parse(cause.data) }));
  const known = await readKnown(
    deps,
    trx,
    alerts.map(({ alert }) => alert),
  );
  const actionsByAlert = await decideAll(deps, trx, alerts, known);
  const carriedOut: Action[] = [];
  const news: NewEvent[] = [];
  for (const { alert, cause } of alerts)
    for (const action of actionsByAlert.get(keyOf(alert)) ?? []) {
      if (action.carried_out || carrierOf(action) !== carrier) continue;
      const told = await carryOut(deps, trx, action, alert, known, cause);
      news.push(...told.map((event) => ({ ...event, cause })));
      carriedOut.push(action);
    }
  await saveCarriedOut(trx, carriedOut);
  await deps.outbox.addMany(trx, news);
}

/** comms-service is asked before anything is locked. */
async function readKnown({ comms }: Deps, trx: Trx, alerts: readonly Triggered[]): Promise<Known> {
  const cards = await comms.cards([...new Set(alerts.map(({ customer_id }) => customer_id))]);
  return {
    plan: await readPlan(trx),
    templates: await allTemplates(trx),
    cards: new Map(cards.map((card) => [card.id, card])),
    renewals: await learn(trx, alerts.map(followedFrom), { overTheSameVersion: false }),
  };
}

/** An alert is only ever fired for a renewal that is open. */
const followedFrom = (alert: Triggered): Followed => ({
  renewal_id: alert.renewal_id,
  customer_id: alert.customer_id,
  due_date: alert.due_date,
  status: alert.rung === 'OVERDUE' ? 'OVERDUE' : 'UPCOMING',
  assigned_agent: alert.assigned_agent,
  reminders: alert.reminders,
  version: alert.version,
});

type AlertKey = Pick<Triggered, 'renewal_id' | 'due_date' | 'rung'>;

const keyOf = ({ renewal_id, due_date, rung }: AlertKey): string => `${renewal_id} ${due_date} ${rung}`;

async function decideAll(deps: Deps, trx: Trx, alerts: readonly { alert: Triggered }[], known: Known) {
  const keys = alerts.map(({ alert: { renewal_id, due_date, rung } }) => ({ renewal_id, due_date, rung }));
  const actionsByAlert = Map.groupBy(await actionsOf(trx, keys), keyOf);
  const decided: Action[] = [];
  for (const { alert } of alerts) {
    if (actionsByAlert.has(keyOf(alert))) continue;
    const actions = decide(alert, known, deps.today());
    actionsByAlert.set(keyOf(alert), actions);
    decided.push(...actions);
  }
  await insertActions(trx, decided, deps.now());
  return actionsByAlert;
}

function decide(alert: Triggered, { plan, cards, renewals }: Known, today: string): Action[] {
  const { renewal_id, due_date, rung, customer_id } = alert;
  const decisions = decideAlert({
    step: plan.steps[rung],
    fallThrough: plan.fall_through,
    renewal: renewals.get(renewal_id) ?? followedFrom(alert),
    dueDate: due_date,
    ...{ rung, today },
    card: cards.get(customer_id),
  });
  const open = { carried_out: false, send_after: null, task_id: null };
  return decisions.map((one) => ({ id: uuidv7(), renewal_id, due_date, rung, customer_id, ...one, ...open }));
}

/** What others are told of it. */
async function carryOut(
  deps: Deps,
  trx: Trx,
  action: Action,
  alert: Triggered,
  known: Known,
  cause: Envelope,
): Promise<NewEvent[]> {
  action.carried_out = true;
  const renewal = known.renewals.get(action.renewal_id) ?? followedFrom(alert);
  cancelIfMoot(action, renewal, deps.today());
  const now = deps.now();
  if (action.outcome !== 'planned') return [alertPlanned(action, now)];
  if (action.channel === 'TASK') {
    action.task_id = await openTask(deps, trx, action, alert, renewal, known, cause);
    return [alertPlanned(action, now)];
  }
  const card = requireCard(known, alert);
  action.send_after = quietUntil(now, known.plan.quiet_hours, card.time_zone ?? deps.timeZone);
  return [communicationSend(action, wordsFor(action, alert, card, known), now), alertPlanned(action, now)];
}

/** It may have been decided by another queue, and the renewal closed since. */
function cancelIfMoot(action: Action, renewal: Followed, today: string): void {
  if (action.outcome !== 'planned') return;
  const reason =
    action.channel === 'TASK' ? taskMootBecause(renewal, action, today) : mootBecause(renewal, action.due_date);
  if (reason) Object.assign(action, { outcome: 'cancelled', reason } satisfies Partial<Action>);
}

/** Of the date the renewal has by now. */
function openTask(
  deps: Deps,
  trx: Trx,
  action: Action,
  { renewal_id, customer_id, rung, service_label }: Triggered,
  { due_date, assigned_agent }: Followed,
  { cards }: Known,
  cause: Envelope,
) {
  const card = cards.get(customer_id);
  const wanted = {
    ...{ renewal_id, customer_id, due_date, rung },
    priority: action.priority ?? 'NORMAL',
    title: `${service_label} of ${card?.name ?? customer_id}, due ${due_date}`,
    note: action.reason && `Alert ${rung}: ${action.reason.message}`,
    agents: [assigned_agent, card?.assigned_agent],
  };
  return ensureTask(deps, trx, wanted, cause);
}

/** It was there when the alert was decided. */
function requireCard({ cards }: Known, { customer_id }: Triggered): CustomerCard {
  const card = cards.get(customer_id);
  if (!card) throw new Error(`comms-service does not know ${customer_id} any more`);
  return card;
}

function wordsFor({ channel, rung }: Action, alert: Triggered, card: CustomerCard, { templates }: Known): Words {
  const fitting = templates.filter((one) => one.channel === channel && one.rung === rung);
  const words = bestWords(fitting, card.locale);
  if (!words) throw new Error(`there is no template for ${rung} by ${channel}`);
  const { service_label: service, due_date, days_until_due: days } = alert;
  return render(words, { name: card.name, service, due_date, days }, dateLocale(words, card.locale));
}
