import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';
import { communicationChanged, recipient, windowOpenUntil } from './communication.ts';
import { newestMessagingAppInbound } from './communication-store.ts';

/** What the rest of the system hears of a new record, by its direction. */
export async function announceNew(deps: Deps, trx: Trx, record: Communication, customer: Customer, now: Date) {
  if (record.direction === 'INBOUND') await announceReceived(deps, trx, record);
  if (record.direction === 'OUTBOUND') await announceQueued(deps, trx, record, customer, now);
  const data = communicationChanged(record, 'created', record.occurred_at);
  await deps.outbox.add(trx, { type: 'communication.changed', data });
}

async function announceReceived({ outbox }: Deps, trx: Trx, record: Communication): Promise<void> {
  const { customer_id, occurred_at, id: communication_id, type, renewal_id } = record;
  const data = { customer_id, occurred_at, communication_id, type, renewal_id };
  const event = await outbox.add(trx, { type: 'COMMUNICATION_RECEIVED', data });
  await writeTimeline(trx, [event]);
}

async function announceQueued({ outbox }: Deps, trx: Trx, record: Communication, customer: Customer, now: Date) {
  const { id: communication_id, customer_id, type, subject, body, in_reply_to, renewal_id, send_after } = record;
  if (type === 'INTERNAL_NOTE' || type === 'CALL_LOG') return;
  const newestInbound = await newestMessagingAppInbound(trx, customer_id);
  const data = {
    ...{ customer_id, communication_id, type, subject, body, in_reply_to, renewal_id, send_after },
    to: recipient(type, customer),
    window_open_until: windowOpenUntil(newestInbound, now),
    opted_out: false,
    do_not_contact: customer.do_not_contact,
  };
  await outbox.add(trx, { type: 'communication.queued', data });
}
