import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import type { Trx } from '@ops/service-kit/database';
import {
  type AnybodysRecord,
  communicationChanged,
  communicationReceived,
} from '../communications/communication-events.ts';
import type { Deps } from '../deps.ts';
import { lineOf } from '../timeline/timeline.ts';
import { insertLines } from '../timeline/timeline-store.ts';

export interface Filed extends AnybodysRecord {
  /** The event this follows from; none for what a person did. */
  cause?: Envelope;
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
  const lines = written.filter((event) => event.type === 'COMMUNICATION_RECEIVED').map(lineOf);
  if (lines.length > 0) await insertLines(trx, lines);
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
