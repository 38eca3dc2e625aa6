import type { NewEvent } from '@ops/bus/outbox';
import { traceOf } from '@ops/bus/trace';
import type { EventData, EventOf } from '@ops/contracts/events';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import { describe } from '@ops/following/merge-service';
import type { Trx } from '@ops/service-kit/database';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { type Followed, renewalOf } from '../followed/followed.rules.ts';
import { learn } from '../followed/followed-service.ts';
import { followMerges } from '../tasks/task-service.ts';
import { actionsAbout, insertActions, saveCarriedOut } from './action-store.ts';
import {
  type Action,
  type Decided,
  decidedOf,
  isTurnOf,
  keepUp,
  newAction,
  noted,
  notYet,
  overtaken,
  replaced,
  tighterThan,
} from './alert-actions.rules.ts';
import { carryOut, completeCards, type Known, readSettings } from './carrying-out-service.ts';
import { noteDecided } from './letter-store.ts';
import {
  type Carrier,
  type Decision,
  decideAlert,
  decideTask,
  isMessage,
  superseded,
  wayOf,
} from './planning.rules.ts';
import { stopMessages } from './stopping-service.ts';

/** An alert that fired, or one more message of it. */
type Cause = EventOf<'RENEWAL_TRIGGERED' | 'renewal.outreach'>;
type Triggered = EventData<'renewal.outreach'>;

const toldIn = (cause: Cause): Triggered =>
  cause.type === 'renewal.outreach' ? cause.data : { ...cause.data, step: '0', does: null };

/** It may have been told before its customer turned out to be another, or by somebody who had not heard of it. */
const alertOf = (cause: Cause, known: Pick<Known, 'renewals'>): Triggered => {
  const told = toldIn(cause);
  return { ...told, customer_id: renewalOf(told, known).customer_id };
};

/**
 * What one queue does about alerts that fired. The first queue to meet an alert decides for all of them, so that they
 * agree on what stands in for what; each carries out its own share, so that trouble with one holds up no other. Alone
 * the task of the plan is decided by itself while comms-service is away.
 */
export async function planAlerts(deps: Deps, trx: Trx, carrier: Carrier, triggered: readonly Cause[]): Promise<void> {
  const known = await readKnown(deps, trx, carrier, triggered.map(toldIn));
  const actions = await decideAll(deps, trx, triggered, known);
  await stopOvertaken(deps, trx, actions);
  const carriedOut: Action[] = [];
  const news: NewEvent[] = [];
  for (const cause of triggered) {
    const alert = alertOf(cause, known);
    const own = decidedOf(alert, actions);
    const done: Action[] = [];
    for (const action of own.filter((one) => isTurnOf(carrier, one))) {
      const carried = await carryOut(deps, trx, action, known, tighterThan(alert, actions), cause);
      news.push(...carried.news.map((event) => ({ ...event, cause })));
      done.push(carried.done);
    }
    keepUp(actions, alert, replaced(own, done));
    carriedOut.push(...done);
  }
  await saveCarriedOut(trx, carriedOut);
  await deps.outbox.addMany(trx, news);
}

/** comms-service is asked before anything is locked. */
async function readKnown(deps: Deps, trx: Trx, carrier: Carrier, alerts: readonly Triggered[]): Promise<Known> {
  const settings = await readSettings(deps, trx);
  const described = await describedFor(deps, carrier, alerts, settings.plan);
  await followMerges(deps, trx, described?.merges ?? []);
  const renewals = await learn(trx, alerts.map(followedFrom), { overTheSameVersion: false });
  return { ...settings, cards: described && (await completeCards(deps, described.cards, renewals)), renewals };
}

/** The plan's own tasks need no more than the customer's id, and silent alerts nothing: they do not wait for comms-service. */
async function describedFor({ comms }: Deps, carrier: Carrier, alerts: readonly Triggered[], plan: AlertPlan) {
  const customerIds = alerts.map(({ customer_id }) => customer_id);
  const isTaskAlone = (alert: Triggered) => carrier === 'task' && wayOf(plan, alert).step.task !== null;
  const canDoWithout = alerts.every((alert) => alert.silent || isTaskAlone(alert));
  return describe(comms, customerIds).catch((error: unknown) => {
    if (canDoWithout && error instanceof InternalCallError) return undefined;
    throw error;
  });
}

/** An alert is only ever fired for a renewal that is open. */
const followedFrom = (alert: Triggered): Followed => ({
  renewal_id: alert.renewal_id,
  customer_id: alert.customer_id,
  written_under: alert.written_under ?? null,
  due_date: alert.due_date,
  status: alert.rung === 'OVERDUE' ? 'OVERDUE' : 'UPCOMING',
  assigned_agent: alert.assigned_agent,
  reminders: alert.reminders,
  hold: alert.hold,
  version: alert.version,
});

async function decideAll(deps: Deps, trx: Trx, triggered: readonly Cause[], known: Known) {
  const alerts = triggered.map((cause) => alertOf(cause, known));
  const actions = await actionsAbout(trx, alerts);
  const decided: Action[] = [];
  for (const cause of triggered) {
    const alert = alertOf(cause, known);
    const before = decidedOf(alert, actions);
    const decisions = decide(alert, before, known, deps.today());
    const added = notYet(before, decisions).map((one) =>
      newAction(uuidv7(), one, { ...alert, trace: traceOf(cause) }, togetherIn(one, alert)),
    );
    keepUp(actions, alert, [...noted(before, decisions), ...added]);
    decided.push(...added);
  }
  await insertActions(trx, decided, deps.now());
  await noteDecided(
    trx,
    alerts.filter(({ silent }) => known.cards !== undefined || silent),
    deps.now(),
  );
  return actions;
}

/** What a refresh fires for one customer is told together; of alerts that carry no run each is told by itself. */
const togetherIn = (decision: Decision, { run_id }: Triggered): string | null => (isMessage(decision) ? run_id : null);

/**
 * What is left to decide of an alert: nothing once its messages were decided, and its task alone while nobody can say
 * what reaches the customer.
 */
function decide(alert: Triggered, before: readonly Action[], known: Known, today: string): Decision[] {
  const { plan, cards } = known;
  const { rung, silent } = alert;
  const way = wayOf(plan, alert);
  if (before.some(isMessage)) return [];
  if (!cards && !silent) return decideTask({ rung, ...way }, []);
  const about = {
    rung,
    ...way,
    silent,
    renewal: renewalOf(alert, known),
    dueDate: alert.due_date,
    today,
  };
  return decideAlert({ ...about, card: cards?.get(alert.customer_id) });
}

/** A tighter alert takes the place of a looser one's message that waits, for the end of the quiet hours perhaps. */
async function stopOvertaken(deps: Deps, trx: Trx, decided: Decided): Promise<void> {
  const stops = overtaken(decided).map(({ action, by }) => ({ action, reason: superseded(by) }));
  await stopMessages(deps, trx, stops);
}
