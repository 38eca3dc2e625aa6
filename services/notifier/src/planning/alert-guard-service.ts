import type { RenewalStanding } from '@ops/contracts/internal-routes';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Db, Trx } from '@ops/service-kit/database';
import type { WorkingTime } from '../calendar/calendar.rules.ts';
import { workingTime } from '../calendar/calendar-service.ts';
import type { Attempted, Deps, Guard, Guarded, PutOff } from '../deps.ts';
import { againstLeaving } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import {
  type AlertMessage,
  actionsAbout,
  alertsAmong,
  type Planned,
  plannedAmong,
  plannedMessagesOf,
  saveCarriedOut,
} from './action-store.ts';
import { type Action, againstMessage, type Decided, recordOf } from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { afterNight, leaving } from './leaving.rules.ts';
import { againstTelling, byUrgency } from './letter.rules.ts';
import { stopMessages } from './stopping-service.ts';

/** Keeps the messages of alerts from leaving when they are of no use any more, or at a time when they wait. */
export const guardAlerts = (deps: Deps): Guard => ({
  async queued(trx, messages) {
    const attempts = new Map(messages.map(({ communication_id, attempt }) => [communication_id, attempt]));
    const planned = await plannedAmong(trx, [...attempts.keys()]);
    const stops = planned.map((one) => {
      const { communication_id: id } = one;
      return { id, stop: stopOf(one, attempts.get(id) ?? 1, deps.today()) };
    });
    const members = Map.groupBy(planned, ({ communication_id }) => communication_id);
    return new Map(
      [...Map.groupBy(stops, ({ id }) => id)].map(([id, all]) => [
        id,
        all.find(({ stop }) => stop)?.stop ?? againstTelling(members.get(id) ?? []),
      ]),
    );
  },
  async beforeTry(db, messages) {
    const ids = messages.map(({ communication_id }) => communication_id);
    const byMessage = Map.groupBy(await alertsAmong(db, ids), recordOf);
    const known = await readKnown(deps, db, [...byMessage.values()].flat());
    return Promise.allSettled(
      messages.map(async (message) => {
        const [first, ...others] = (byMessage.get(message.communication_id) ?? []).toSorted(byUrgency);
        return first && guarded(deps, known, [first, ...others], message);
      }),
    );
  },
});

/** Its renewal may have been closed or moved before it came to be queued. */
const stopOf = ({ outcome, reason, renewal, alerted_date }: Planned, attempt: number, today: string): Failure | null =>
  outcome === 'cancelled' ? reason : againstLeaving(renewal, alerted_date, attempt, today);

/** What the tries of a moment are looked at by, read once. */
interface Known {
  decided: Decided;
  time: WorkingTime;
  quietHours: AlertPlan['quiet_hours'];
}

async function readKnown(deps: Deps, db: Db, alerts: readonly AlertMessage[]): Promise<Known> {
  const { quiet_hours: quietHours } = await readPlan(db);
  return { decided: await actionsAbout(db, alerts), time: await workingTime(deps, db), quietHours };
}

/**
 * renewals-service is asked how its renewals stand at this moment: what we were told may be long behind, as after a night in
 * which nobody read our queues. A tighter alert may have been planned while staff had this one sent again. And what was
 * planned by day may have been held up into the evening. A letter does not leave if one that it names is against it.
 */
async function guarded(
  deps: Deps,
  { decided, time, quietHours }: Known,
  alerts: readonly [AlertMessage, ...AlertMessage[]],
  { communication_id, attempt }: Attempted,
): Promise<Guarded> {
  const reasons = new Map<string, Failure>();
  const standings = await Promise.all(alerts.map(({ renewal_id }) => deps.renewals.standing(renewal_id)));
  for (const [n, alert] of alerts.entries()) {
    const standing = standings[n] as RenewalStanding;
    const stop = againstMessage(alert, standing, decided, { attempt, today: deps.today() });
    if (stop) reasons.set(alert.id, stop);
  }
  const renewals = alerts.map(({ renewal_id }) => renewal_id);
  const message = { communication_id, renewals };
  return {
    stop: [...reasons.values()][0] ?? againstTelling(alerts),
    notBefore(ownZone) {
      const waiting = { time, quietHours, zone: ownZone ?? deps.timeZone };
      return attempt === 1 ? leaving(deps.now(), waiting, alerts[0]) : afterNight(deps.now(), waiting);
    },
    async lock(trx) {
      await lockRenewals(trx, renewals);
    },
    tellPutOff: (trx, until) => tellPutOff(deps, trx, message, until),
    tellStopped: (trx) => tellStopped(deps, trx, message, reasons),
  };
}

interface AlertedIn {
  communication_id: string;
  renewals: readonly string[];
}

const plannedIn = async (trx: Trx, { communication_id, renewals }: AlertedIn): Promise<Action[]> =>
  (await plannedMessagesOf(trx, renewals)).filter((action) => recordOf(action) === communication_id);

/** Tells that the message waits, unless it was stopped meanwhile. */
async function tellPutOff(deps: Deps, trx: Trx, message: AlertedIn, until: PutOff): Promise<void> {
  const when = { send_after: until.at, send_after_reason: until.reason };
  const putOff = (await plannedIn(trx, message)).map((action) => ({ ...action, ...when }));
  await saveCarriedOut(trx, putOff);
  await deps.outbox.addMany(
    trx,
    putOff.map((action) => alertPlanned(action, recordOf(action), deps.now())),
  );
}

/**
 * Whoever is told of the renewals later finds that said already; and they may stand otherwise by then. What else its letter
 * names is told of anew once it is heard that the letter was stopped.
 */
async function tellStopped(
  deps: Deps,
  trx: Trx,
  message: AlertedIn,
  reasons: ReadonlyMap<string, Failure>,
): Promise<void> {
  const stops = (await plannedIn(trx, message)).flatMap((action) => {
    const reason = reasons.get(action.id);
    return reason ? [{ action, reason }] : [];
  });
  await stopMessages(deps, trx, stops);
}
