import { z } from 'zod';
import { communicationStatus, communicationType, direction } from './resources/communication.ts';
import { customer } from './resources/customer.ts';
import { customerId, instant, plainDate, recordId } from './text.ts';

/**
 * Every event of the system, once: who publishes it, whether live screens hear of it, and what it carries.
 * Its subject is always the customer's id. Producers validate strictly; consumers parse leniently, so a field
 * added later disturbs nobody.
 */
export interface EventSpec<Data extends z.ZodType = z.ZodType> {
  publisher: 'comms-service' | 'renewals-service' | 'webhook-ingest' | 'notifier';
  /** Live screens hear of it: it must then carry no message body. */
  live: boolean;
  summary: string;
  data: Data;
}

const rung = z.enum(['90', '60', '30', '14', '7', 'OVERDUE']);

const communicationReceived = z.object({
  customer_id: customerId,
  occurred_at: instant,
  communication_id: recordId,
  type: communicationType,
  renewal_id: recordId.nullable(),
});

const communicationQueued = z.object({
  customer_id: customerId,
  communication_id: recordId,
  type: z.enum(['MESSAGING_APP', 'EMAIL', 'SMS']),
  to: z.string().nullable().meta({ description: 'Phone in E.164 or e-mail address; null when the customer has none' }),
  subject: z.string().nullable(),
  body: z.string(),
  in_reply_to: recordId.nullable(),
  renewal_id: recordId.nullable(),
  send_after: instant.nullable(),
  window_open_until: instant.nullable().meta({ description: 'End of the 24-hour window of the messaging app' }),
  opted_out: z.boolean(),
  do_not_contact: z.boolean(),
});

const communicationChanged = z.object({
  customer_id: customerId,
  occurred_at: instant,
  change: z.enum(['created', 'read', 'moved', 'struck', 'status']),
  communication_id: recordId.nullable().meta({ description: 'null when many changed at once' }),
  type: communicationType.nullable(),
  direction: direction.nullable(),
  status: communicationStatus.nullable(),
  renewal_id: recordId.nullable(),
});

/** The whole customer, but for what is no change of it. */
const customerChanged = customer
  .omit({ id: true, unread_count: true, created_at: true, updated_at: true })
  .extend({ customer_id: customerId, occurred_at: instant });

const renewalTriggered = z.object({
  customer_id: customerId,
  occurred_at: instant,
  renewal_id: recordId,
  service_type: z.string(),
  due_date: plainDate,
  rung,
  days_until_due: z.int(),
  superseded: z.array(rung),
});

const renewalCompleted = z.object({
  customer_id: customerId,
  occurred_at: instant,
  renewal_id: recordId,
  service_type: z.string(),
  due_date: plainDate,
  next_renewal_id: recordId.nullable(),
  next_due_date: plainDate.nullable(),
});

const spec = <D extends z.ZodType>(s: EventSpec<D>) => s;

export const events = {
  COMMUNICATION_RECEIVED: spec({
    publisher: 'comms-service',
    live: true,
    summary: 'An inbound message was logged; the unread count went up',
    data: communicationReceived,
  }),
  'communication.queued': spec({
    publisher: 'comms-service',
    live: false,
    summary: 'An outbound record waits for delivery',
    data: communicationQueued,
  }),
  'communication.changed': spec({
    publisher: 'comms-service',
    live: true,
    summary: 'A record was created, read, moved, struck or delivered',
    data: communicationChanged,
  }),
  'customer.changed': spec({
    publisher: 'comms-service',
    live: true,
    summary: 'A customer was created or changed; the whole of it',
    data: customerChanged,
  }),
  RENEWAL_TRIGGERED: spec({
    publisher: 'renewals-service',
    live: true,
    summary: 'A refresh crossed an alert threshold',
    data: renewalTriggered,
  }),
  RENEWAL_COMPLETED: spec({
    publisher: 'renewals-service',
    live: true,
    summary: 'A renewal was completed',
    data: renewalCompleted,
  }),
} satisfies Record<string, EventSpec>;

export type EventType = keyof typeof events;
export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>;

export const liveEventTypes = (Object.keys(events) as EventType[]).filter((type) => events[type].live);
