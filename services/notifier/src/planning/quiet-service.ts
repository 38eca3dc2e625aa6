import type { Db, Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { type Alert, plannedMessagesOf, saveCarriedOut } from './action-store.ts';
import { alertPlanned } from './alert-events.ts';
import { readPlan } from './alert-plan-store.ts';
import { quietUntil } from './quiet-hours.ts';

/**
 * The end of the quiet hours that hold for this customer now; null when none do. Asked before every try: what was planned
 * by day may have been held up into the evening.
 */
export async function quietNow({ now, timeZone }: Deps, db: Db, ownZone: string | null): Promise<Date | null> {
  const { quiet_hours } = await readPlan(db);
  return quietUntil(now(), quiet_hours, ownZone ?? timeZone);
}

/** Under the lock of its renewal: what was stopped is not said to wait. */
export async function tellPutOff(deps: Deps, trx: Trx, { id, renewal_id }: Alert, until: Date): Promise<void> {
  const planned = await plannedMessagesOf(trx, [renewal_id]);
  const putOff = planned.filter((action) => action.id === id).map((action) => ({ ...action, send_after: until }));
  await saveCarriedOut(trx, putOff);
  await deps.outbox.addMany(
    trx,
    putOff.map((action) => alertPlanned(action, action.id, deps.now())),
  );
}
