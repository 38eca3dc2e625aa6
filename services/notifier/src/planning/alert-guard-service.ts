import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import type { Deps, Guard, Guarded } from '../deps.ts';
import { stopBecause } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import {
  type Alert,
  findAlertOf,
  type Planned,
  plannedAmong,
  plannedMessagesOf,
  saveCarriedOut,
} from './action-store.ts';
import { alertPlanned } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { quietUntil } from './quiet-hours.rules.ts';

/** Keeps the messages of alerts from leaving when they are of no use any more, or in the quiet hours. */
export const guardAlerts = (deps: Deps): Guard => ({
  async queued(trx, communicationIds) {
    const planned = await plannedAmong(trx, communicationIds);
    return new Map(planned.map((one) => [one.id, stopOf(one)]));
  },
  async beforeTry(db, communicationId) {
    const alert = await findAlertOf(db, communicationId);
    return alert && guarded(deps, alert);
  },
});

/** Its renewal may have been closed or moved before it came to be queued. */
const stopOf = ({ outcome, reason, renewal, alerted_date }: Planned): Failure | null =>
  outcome === 'cancelled' ? reason : stopBecause(renewal, alerted_date);

/**
 * renewals-service is asked how its renewal stands at this moment: what we were told may be long behind, as after a night in
 * which nobody read our queues. And what was planned by day may have been held up into the evening.
 */
async function guarded(deps: Deps, alert: Alert): Promise<Guarded> {
  return {
    stop: stopBecause(await deps.renewals.standing(alert.renewal_id), alert.due_date),
    async notBefore(db, ownZone) {
      const { quiet_hours } = await readPlan(db);
      return quietUntil(deps.now(), quiet_hours, ownZone ?? deps.timeZone);
    },
    async hold(trx) {
      await lockRenewals(trx, [alert.renewal_id]);
    },
    tellPutOff: (trx, until) => tellPutOff(deps, trx, alert, until),
  };
}

/** What was stopped is not said to wait. */
async function tellPutOff(deps: Deps, trx: Trx, { id, renewal_id }: Alert, until: Date): Promise<void> {
  const planned = await plannedMessagesOf(trx, [renewal_id]);
  const putOff = planned.filter((action) => action.id === id).map((action) => ({ ...action, send_after: until }));
  await saveCarriedOut(trx, putOff);
  await deps.outbox.addMany(
    trx,
    putOff.map((action) => alertPlanned(action, action.id, deps.now())),
  );
}
