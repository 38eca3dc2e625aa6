import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Trx } from '@ops/service-kit/database';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import type { Followed } from '../followed/followed.rules.ts';
import { learn } from '../followed/followed-service.ts';
import { actionsAbout, insertActions, saveCarriedOut } from './action-store.ts';
import {
  type Action,
  isTurnOf,
  keyOf,
  newAction,
  noted,
  notYet,
  overtaken,
  replaced,
  tighterThan,
} from './alert-actions.rules.ts';
import { carryOut, type Known, readCards, readSettings, renewalOf } from './carrying-out-service.ts';
import { type Carrier, type Decision, decideAlert, decideTask, isMessage, superseded } from './planning.rules.ts';
import { stopMessages } from './stopping-service.ts';

type Triggered = EventData<'RENEWAL_TRIGGERED'>;

interface Told {
  cause: Envelope;
  alert: Triggered;
}

/**
 * What one queue does about alerts that fired. The first queue to meet an alert decides for all of them, so that they
 * agree on what stands in for what; each carries out its own share, so that trouble with one holds up no other. Alone
 * the task of the plan is decided by itself while comms-service is away.
 */
export async function planAlerts(
  deps: Deps,
  trx: Trx,
  carrier: Carrier,
  triggered: readonly Envelope[],
): Promise<void> {
  const alerts = triggered.map((cause) => ({ cause, alert: events.RENEWAL_TRIGGERED.data.parse(cause.data) }));
  const known = await readKnown(deps, trx, carrier, alerts);
  const actions = await decideAll(deps, trx, alerts, known);
  await stopOvertaken(deps, trx, actions);
  const carriedOut: Action[] = [];
  const news: NewEvent[] = [];
  for (const { alert, cause } of alerts) {
    const own = actions.get(keyOf(alert)) ?? [];
    const done: Action[] = [];
    for (const action of own.filter((one) => isTurnOf(carrier, one))) {
      const carried = await carryOut(deps, trx, action, known, tighterThan(alert, actions), cause);
      news.push(...carried.news.map((event) => ({ ...event, cause })));
      done.push(carried.done);
    }
    actions.set(keyOf(alert), replaced(own, done));
    carriedOut.push(...done);
  }
  await saveCarriedOut(trx, carriedOut);
  await deps.outbox.addMany(trx, news);
}

/** comms-service is asked before anything is locked. */
async function readKnown(deps: Deps, trx: Trx, carrier: Carrier, told: readonly Told[]): Promise<Known> {
  const alerts = told.map(({ alert }) => alert);
  const settings = await readSettings(trx);
  const cards = await cardsFor(deps, carrier, alerts, settings.plan);
  return { ...settings, cards, renewals: await learn(trx, alerts.map(followedFrom), { overTheSameVersion: false }) };
}

/** The plan's own tasks need no more than the customer's id: they do not wait for comms-service. */
async function cardsFor({ comms }: Deps, carrier: Carrier, alerts: readonly Triggered[], { steps }: AlertPlan) {
  const customerIds = alerts.map(({ customer_id }) => customer_id);
  const canDoWithout = carrier === 'task' && alerts.every(({ rung }) => steps[rung].task !== null);
  return readCards(comms, customerIds).catch((error: unknown) => {
    if (canDoWithout && error instanceof InternalCallError) return undefined;
    throw error;
  });
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

async function decideAll(deps: Deps, trx: Trx, told: readonly Told[], known: Known) {
  const actions = await actionsAbout(
    trx,
    told.map(({ alert }) => alert),
  );
  const decided: Action[] = [];
  for (const { alert } of told) {
    const before = actions.get(keyOf(alert)) ?? [];
    const decisions = decide(alert, before, known);
    const added = notYet(before, decisions).map((one) => newAction(uuidv7(), one, alert));
    actions.set(keyOf(alert), [...noted(before, decisions), ...added]);
    decided.push(...added);
  }
  await insertActions(trx, decided, deps.now());
  return actions;
}

/** Nothing once its messages were decided; its task alone while nobody can say what reaches the customer. */
function decide(alert: Triggered, before: readonly Action[], known: Known): Decision[] {
  const { plan, cards } = known;
  const step = plan.steps[alert.rung];
  if (before.some(isMessage)) return [];
  if (!cards) return decideTask(step, []);
  const about = { step, fallThrough: plan.fall_through, renewal: renewalOf(alert, known), dueDate: alert.due_date };
  return decideAlert({ ...about, card: cards.get(alert.customer_id) });
}

/** A tighter alert takes the place of a looser one's message that waits, for the end of the quiet hours perhaps. */
async function stopOvertaken(deps: Deps, trx: Trx, actions: ReadonlyMap<string, readonly Action[]>): Promise<void> {
  const stops = overtaken(actions).map(({ action, by }) => ({ action, reason: superseded(by) }));
  await stopMessages(deps, trx, stops);
}
