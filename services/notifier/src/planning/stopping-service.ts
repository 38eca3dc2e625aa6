import type { NewEvent } from '@ops/bus/outbox';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { cancelled } from '../deliveries/attempt.ts';
import { recordNews } from '../deliveries/delivery-service.ts';
import { lockDeliveriesOf, release, type Stoppable, stopRetrying } from '../deliveries/delivery-store.ts';
import type { Deps } from '../deps.ts';
import { type Action, saveCancelled } from './action-store.ts';
import { alertPlanned } from './alert-events.ts';

/** A message that is of no use any more. */
export interface Stop {
  action: Action;
  reason: Failure;
}

/** What has not left yet does not leave. The renewals' rows are locked by then. */
export async function stopMessages(deps: Deps, trx: Trx, stops: readonly Stop[]): Promise<void> {
  if (stops.length === 0) return;
  const deliveries = await lockDeliveriesOf(
    trx,
    stops.map(({ action }) => action.id),
  );
  const deliveriesOf = Map.groupBy(deliveries, ({ communication_id }) => communication_id);
  const unsent: Stop[] = [];
  for (const stop of stops) {
    const tries = deliveriesOf.get(stop.action.id) ?? [];
    for (const delivery of tries.filter(({ status }) => status === 'QUEUED'))
      await stopDelivery(deps, trx, delivery, stop);
    if (tries.every(neverLeft)) unsent.push(stop);
  }
  await tellCancelled(deps, trx, unsent);
}

const neverLeft = ({ status, on_wire }: Stoppable): boolean =>
  status === 'CANCELLED' || (status === 'QUEUED' && !on_wire);

/** What is on the wire at this moment may arrive; it only is not tried again. */
async function stopDelivery(deps: Deps, trx: Trx, delivery: Stoppable, { reason }: Stop): Promise<void> {
  if (delivery.on_wire) return stopRetrying(trx, delivery.id, reason);
  await recordNews(deps, trx, delivery, [cancelled(deps.now(), reason)]);
  await release(trx, [delivery.id]);
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
