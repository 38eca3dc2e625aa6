import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { renewalOf } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { noteInTask } from '../tasks/task-service.ts';
import * as store from './action-store.ts';
import { decidedOf, type KeptUp, keepUp, recordOf, replaced } from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';
import { completeCards, type Known, noteOf, readCards, readSettings } from './carrying-out-service.ts';
import { givenUpFrom, hasReached, saysUnreached } from './ends.rules.ts';
import { markWithoutEnd, settle } from './ends-service.ts';
import { type Learnt as Learned, learn } from './learning.rules.ts';
import { takeOut } from './letter-store.ts';
import { spoken } from './planning.rules.ts';

type Told = EventOf<'delivery.updated'> | EventOf<'communication.settled'>;

interface Learnt extends Learned {
  cause: Envelope;
}

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
  const decided = await store.actionsAbout(trx, alerts);
  const learnt = told.flatMap((event) => learnOf(decided, event, known, deps.today()));
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
    await settle(deps, trx, renewalOf({ renewal_id }, known), decided, known, cause);
  for (const one of learnt.filter(isArrival)) await noteArrival(deps, trx, one, decided);
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
  const before = customers.length === 0 ? new Map() : await readCards(deps.comms, customers);
  const renewals = await lockRenewals(
    trx,
    alerts.map(({ renewal_id }) => renewal_id),
  );
  const cards = customers.length === 0 ? before : await completeCards(deps, before, renewals);
  return { ...(await readSettings(deps, trx)), cards, renewals };
}

/** What one event tells, over what was known when it came. */
function learnOf(decided: KeptUp, cause: Told, { renewals }: Known, today: string): Learnt[] {
  const learnt = learn(decided, cause.data, renewals, today);
  for (const { after } of learnt) keepUp(decided, after, replaced(decidedOf(after, decided), [after]));
  return learnt.map((one) => ({ ...one, cause }));
}

const hasNotLeft = ({ before, after }: Learnt): boolean => before.outcome !== after.outcome;

async function tellNotLeft(deps: Deps, trx: Trx, { after, cause }: Learnt): Promise<void> {
  await store.saveCarriedOut(trx, [after]);
  await deps.outbox.add(trx, { ...alertPlanned(after, recordOf(after), deps.now()), cause });
}

const isArrival = ({ before, after }: Learnt): boolean => hasReached(after) && !hasReached(before);

/** Whoever was told that nobody was reached learns that the customer was. */
async function noteArrival(deps: Deps, trx: Trx, { after, cause }: Learnt, decided: KeptUp): Promise<void> {
  const task = decidedOf(after, decided).find(saysUnreached);
  const note = `The message by ${spoken[after.channel]} has reached the customer after all`;
  if (task?.task_id) await noteInTask(deps, trx, task.task_id, noteOf(after, note), cause);
}
