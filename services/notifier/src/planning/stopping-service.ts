import type { NewEvent } from '@ops/bus/outbox';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { stopDeliveries } from '../deliveries/delivery-service.ts';
import type { Deps } from '../deps.ts';
import { saveCancelled } from './action-store.ts';
import type { Action } from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';

/** A message that is of no use any more. */
export interface Stop {
  action: Action;
  reason: Failure;
}

/** What has not left yet does not leave. The renewals' rows are locked by then. */
export async function stopMessages(deps: Deps, trx: Trx, stops: readonly Stop[]): Promise<void> {
  const reasons = new Map(stops.map(({ action, reason }) => [action.id, reason]));
  const neverLeft = await stopDeliveries(deps, trx, reasons);
  await tellCancelled(
    deps,
    trx,
    stops.filter(({ action }) => neverLeft.has(action.id)),
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
    .map(({ action, reason }) => alertPlanned({ ...action, outcome: 'cancelled', reason }, action.id, deps.now()));
  await deps.outbox.addMany(trx, told);
}
