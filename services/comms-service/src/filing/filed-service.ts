import type { NewEvent, Outbox } from '@ops/bus/outbox';
import type { Trace } from '@ops/bus/trace';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { type AnybodysRecord, communicationChanged, communicationReceived } from '../records/communication-events.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';
import { echoesOf } from './echo-store.ts';

export interface Filed extends AnybodysRecord {
  /** The one it is told in, where several are handled together. */
  trace?: Trace | undefined;
}

/**
 * A message came into a customer's log, or into the list of those nobody could place yet: of the latter, no customer's
 * timeline and no count tells; nor of what a machine wrote, which is no customer's message.
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
  const sent = filed.filter(({ direction }) => direction === 'OUTBOUND').map(({ id }) => id);
  if (sent.length > 0) await announceEchoes(outbox, trx, sent);
}

/** Receipts for what staff sent by themselves are heard where all receipts are. */
const announceEchoes = async (outbox: Outbox, trx: Trx, records: readonly string[]): Promise<unknown> =>
  outbox.addMany(
    trx,
    (await echoesOf(trx, records)).map((data) => ({ type: 'communication.echoed', data })),
  );

function newsOf(record: Filed, change: 'created' | 'linked', at: Date): NewEvent[] {
  const when = change === 'created' ? record.occurred_at : at.toISOString();
  const changed = {
    type: 'communication.changed' as const,
    data: communicationChanged(record, change, when),
    trace: record.trace,
  };
  const { customer_id } = record;
  if (customer_id === null || record.automatic || record.direction !== 'INBOUND') return [changed];
  const received = communicationReceived({ ...record, customer_id });
  return [{ type: 'COMMUNICATION_RECEIVED', data: received, trace: record.trace }, changed];
}
