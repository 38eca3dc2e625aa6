import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { type AnybodysRecord, communicationChanged, communicationReceived } from '../records/communication-events.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';

export interface Filed extends AnybodysRecord {
  /** The event this follows from; none for what a person did. */
  cause?: Envelope | undefined;
}

/**
 * A message came into a customer's log, or into the list of those nobody could place yet: of the latter, no customer's
 * timeline and no count tells.
 */
export async function announceFiled(
  { outbox }: Deps,
  trx: Trx,
  change: 'created' | 'linked',
  at: Date,
  filed: Filed[],
) {
  const told = filed.flatMap((record) => newsOf(record, change, at));
  const written = await outbox.addMany(trx, told);
  const received = written.filter((event) => event.type === 'COMMUNICATION_RECEIVED');
  if (received.length > 0) await writeTimeline(trx, received);
}

function newsOf(record: Filed, change: 'created' | 'linked', at: Date): NewEvent[] {
  const when = change === 'created' ? record.occurred_at : at.toISOString();
  const changed = {
    type: 'communication.changed' as const,
    data: communicationChanged(record, change, when),
    cause: record.cause,
  };
  const { customer_id } = record;
  if (customer_id === null) return [changed];
  const received = communicationReceived({ ...record, customer_id });
  return [{ type: 'COMMUNICATION_RECEIVED', data: received, cause: record.cause }, changed];
}
