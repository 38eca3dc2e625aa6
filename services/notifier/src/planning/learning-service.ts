import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { heldBecause, stopBecause } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { noteInTask } from '../tasks/task-service.ts';
import * as store from './action-store.ts';
import { type Action, keyOf, recordOf, replaced, tighterThan } from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';
import { type Known, noteOf, readCards, readSettings, renewalOf } from './carrying-out-service.ts';
import { givenUpFrom, hasReached, saysUnreached } from './ends.rules.ts';
import { type ByAlert, markWithoutEnd, settle } from './ends-service.ts';
import { heardIn, stronger } from './heard.rules.ts';
import { isToRewrite } from './letter.rules.ts';
import { takeOut } from './letter-store.ts';
import { isMessage, type Message, spoken, superseded } from './planning.rules.ts';

/** What was told of a message, and what that makes of its action. */
interface Learnt {
  before: Action & Message;
  after: Action & Message;
  cause: Envelope;
}

type Told = EventOf<'delivery.updated'> | EventOf<'communication.settled'>;

/** What sending tells of messages. */
export const learnDeliveries = (deps: Deps, trx: Trx, told: readonly EventOf<'delivery.updated'>[]): Promise<void> =>
  learnAll(deps, trx, told);

/** What staff found out of messages of which sending did not know. */
export const learnSettled = (deps: Deps, trx: Trx, told: readonly EventOf<'communication.settled'>[]): Promise<void> =>
  learnAll(deps, trx, told);

/**
 * What became of the messages of alerts. An alert whose message came to nothing is decided on from there: by another
 * channel, or by a task. Where more is to be expected, its alert is looked at again when that should have come.
 */
async function learnAll(deps: Deps, trx: Trx, told: readonly Told[]): Promise<void> {
  const alerts = await store.alertsAmong(
    trx,
    told.map(({ data }) => data.communication_id),
  );
  if (alerts.length === 0) return;
  const known = await readKnown(deps, trx, alerts, told);
  const byAlert = await store.actionsAbout(trx, alerts);
  const learnt = told.flatMap((event) => learn(byAlert, event, known, deps.today()));
  await takeOut(
    trx,
    learnt.filter(({ before, after }) => recordOf(before) !== recordOf(after)).map(({ before }) => before),
  );
  const heard = learnt.filter(({ after }) => after.heard !== null);
  const last = new Map(heard.map(({ after }) => [after.id, { ...after, look_again_at: givenUpFrom(after) }]));
  await store.saveHeard(trx, [...last.values()]);
  for (const one of learnt.filter(hasNotLeft)) await tellNotLeft(deps, trx, one);
  const failed = learnt.filter(({ after }) => after.heard?.status === 'FAILED');
  const causes = new Map(failed.map(({ after, cause }) => [after.renewal_id, cause]));
  for (const [renewal_id, cause] of causes)
    await settle(deps, trx, renewalOf({ renewal_id }, known), byAlert, known, cause);
  for (const one of learnt.filter(isArrival)) await noteArrival(deps, trx, one, byAlert);
  const stopped = new Set(
    told.filter(({ data }) => data.status === 'CANCELLED').map(({ data }) => data.communication_id),
  );
  const ofStopped = new Set(alerts.filter((one) => stopped.has(recordOf(one))).map(({ renewal_id }) => renewal_id));
  const renewals = [...ofStopped].map((renewal_id) => renewalOf({ renewal_id }, known));
  await markWithoutEnd(deps, trx, renewals);
}

/** comms-service is asked before anything is locked, and only about customers whose message failed. */
async function readKnown(
  deps: Deps,
  trx: Trx,
  alerts: readonly store.AlertMessage[],
  told: readonly Told[],
): Promise<Known> {
  const failed = new Set(told.filter(({ data }) => data.status === 'FAILED').map(({ data }) => data.communication_id));
  const customers = alerts.filter((one) => failed.has(recordOf(one))).map(({ customer_id }) => customer_id);
  const cards = customers.length === 0 ? new Map() : await readCards(deps.comms, customers);
  const renewals = await lockRenewals(
    trx,
    alerts.map(({ renewal_id }) => renewal_id),
  );
  return { ...(await readSettings(deps, trx)), cards, renewals };
}

/** Nothing when it is no message of an alert, or says no more than was known. */
function learn(byAlert: ByAlert, cause: Told, known: Known, today: string): Learnt[] {
  const told = [...byAlert.values()].flat().filter((one) => recordOf(one) === cause.data.communication_id);
  return told.filter(isMessage).flatMap((before) => {
    const isApart = told.length > 1 && isToRewrite(before, stopIn(cause.data));
    const after = isApart
      ? stoppedApart(before, againstOne(before, byAlert, known, today))
      : hearing(before, cause.data);
    if (after === before) return [];
    byAlert.set(keyOf(after), replaced(byAlert.get(keyOf(after)) ?? [], [after]));
    return [{ before, after, cause }];
  });
}

/** Why a message was stopped; null: it was not. */
const stopIn = ({ status, failure }: Told['data']): Failure | null => (status === 'CANCELLED' ? failure : null);

/** What is against it by itself, whatever else its letter names. */
function againstOne(message: Action & Message, byAlert: ByAlert, known: Known, today: string): Failure | null {
  const renewal = renewalOf(message, known);
  const tighter = tighterThan(message, byAlert);
  return (
    stopBecause(renewal, message.due_date) ?? heldBecause(renewal, today) ?? (tighter ? superseded(tighter) : null)
  );
}

/** Of a letter that was stopped: there will be another for it, unless something is against it too. */
const stoppedApart = (before: Action & Message, reason: Failure | null): Action & Message =>
  reason
    ? { ...before, outcome: 'cancelled', reason }
    : { ...before, letter_id: null, together: before.letter_id, carried_out: false };

function hearing(before: Action & Message, told: Told['data']): Action & Message {
  const heard = heardIn(told);
  if (!heard) return unlessStopped(before, told);
  const strongest = stronger(before.heard, heard);
  return strongest === before.heard ? before : unlessRefused({ ...before, heard: strongest });
}

/** What was on the wire when it was to be stopped may arrive. Only when it was not taken it is known that it never left. */
function unlessStopped(before: Action & Message, { status, failure }: Told['data']): Action & Message {
  const isStopped = status === 'CANCELLED' && before.outcome === 'planned' && before.heard === null;
  return isStopped ? { ...before, outcome: 'cancelled', reason: failure } : before;
}

/** Since the alert was decided the customer has taken this channel away: the message never left. */
const refusals: ReadonlySet<string> = new Set(['opted_out', 'no_recipient', 'do_not_contact']);

function unlessRefused(action: Action & Message): Action & Message {
  const failure = action.heard?.status === 'FAILED' ? action.heard.failure : null;
  const isRefused = action.outcome === 'planned' && failure && refusals.has(failure.code);
  return isRefused ? { ...action, outcome: 'not_sent', reason: failure } : action;
}

const hasNotLeft = ({ before, after }: Learnt): boolean => before.outcome !== after.outcome;

async function tellNotLeft(deps: Deps, trx: Trx, { after, cause }: Learnt): Promise<void> {
  await store.saveCarriedOut(trx, [after]);
  await deps.outbox.add(trx, { ...alertPlanned(after, recordOf(after), deps.now()), cause });
}

const isArrival = ({ before, after }: Learnt): boolean => hasReached(after) && !hasReached(before);

/** Whoever was told that nobody was reached learns that the customer was. */
async function noteArrival(deps: Deps, trx: Trx, { after, cause }: Learnt, byAlert: ByAlert): Promise<void> {
  const task = byAlert.get(keyOf(after))?.find(saysUnreached);
  const note = `The message by ${spoken[after.channel]} has reached the customer after all`;
  if (task?.task_id) await noteInTask(deps, trx, task.task_id, noteOf(after, note), cause);
}
