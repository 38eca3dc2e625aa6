import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { cancelled } from '../deliveries/attempt.ts';
import { recordNews } from '../deliveries/delivery-service.ts';
import { lockDeliveriesOf, release, type Stoppable, stopRetrying } from '../deliveries/delivery-store.ts';
import type { Deps } from '../deps.ts';
import { followTasks } from '../tasks/task-service.ts';
import { type Action, type Alert, plannedMessagesOf, saveCancelled } from './action-store.ts';
import { alertPlanned } from './alert-events.ts';
import { learn } from './followed-store.ts';
import { type Followed, stopBecause } from './planning.ts';

/** Keeps up with renewals: what has not left yet and is pointless now is stopped, and its tasks are closed. */
export async function followRenewals(deps: Deps, trx: Trx, changed: readonly Envelope[]): Promise<void> {
  const facts = changed.map(({ data }) => followedFrom(events['renewal.changed'].data.parse(data)));
  const renewals = await learn(trx, facts, { overTheSameVersion: true });
  await stopMessages(deps, trx, renewals);
  await followTasks(deps, trx, [...renewals.values()]);
}

const followedFrom = (told: EventData<'renewal.changed'>): Followed => ({
  renewal_id: told.renewal_id,
  customer_id: told.customer_id,
  due_date: told.due_date,
  status: told.status,
  assigned_agent: told.assigned_agent,
  reminders: told.reminders,
  version: told.version,
});

/**
 * Why the message of this alert is not to leave, as renewals-service has it at this moment; null when it may. What we
 * were told of the renewal may be long behind, as after a night in which nobody read our queues.
 */
export async function stopNow({ renewals }: Deps, { renewal_id, due_date }: Alert): Promise<Failure | null> {
  return stopBecause(await renewals.standing(renewal_id), due_date);
}

interface Stop {
  action: Action;
  reason: Failure;
}

async function stopMessages(deps: Deps, trx: Trx, renewals: ReadonlyMap<string, Followed>): Promise<void> {
  const planned = await plannedMessagesOf(trx, [...renewals.keys()]);
  const stops = planned.flatMap((action) => stopOf(action, renewals));
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

function stopOf(action: Action, renewals: ReadonlyMap<string, Followed>): Stop[] {
  const renewal = renewals.get(action.renewal_id);
  const reason = renewal ? stopBecause(renewal, action.due_date) : null;
  return reason ? [{ action, reason }] : [];
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
    .map(({ action, reason }) => alertPlanned({ ...action, outcome: 'cancelled', reason }, deps.now()));
  await deps.outbox.addMany(trx, told);
}
