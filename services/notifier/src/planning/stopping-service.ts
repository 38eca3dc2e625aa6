import type { NewEvent } from '@ops/bus/outbox';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { stopSends } from '../sending/send-service.ts';
import { saveCancelled } from './action-store.ts';
import { type Action, recordOf } from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';

/** A message that is of no use any more. */
export interface Stop {
  action: Action;
  reason: Failure;
}

/** What has not left yet does not leave; of what is held, what a person sent again does. The renewals' rows are locked by then. */
export async function stopMessages(deps: Deps, trx: Trx, stops: readonly Stop[]): Promise<void> {
  const reasons = new Map(stops.map(({ action, reason }) => [recordOf(action), reason]));
  const held = stops.filter(({ reason }) => reason.code === 'held').map(({ action }) => recordOf(action));
  const neverLeft = await stopSends(deps, trx, reasons, { sparesResends: new Set(held) });
  await tellCancelled(
    deps,
    trx,
    stops.filter(({ action }) => neverLeft.has(recordOf(action))),
  );
}

/** What its own queue has not carried out yet is told by that queue, when it comes to it. */
async function tellCancelled(deps: Deps, trx: Trx, unsent: readonly Stop[]): Promise<void> {
  await saveCancelled(
    trx,
    unsent.map(({ action: { id }, reason }) => ({ id, reason })),
  );
  const told: NewEvent[] = unsent
    .filter(({ action }) => action.carried_out)
    .map(({ action, reason }) =>
      alertPlanned({ ...action, outcome: 'cancelled', reason }, recordOf(action), deps.now()),
    );
  await deps.outbox.addMany(trx, told);
}
