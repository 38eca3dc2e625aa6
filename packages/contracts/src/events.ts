import { z } from 'zod';
import {
  communicationStatus,
  communicationType,
  direction,
  failure,
  outsideType,
  sentAttachment,
} from './resources/communication.ts';
import { customer } from './resources/customer.ts';
import { messagingTemplate } from './resources/messaging-template.ts';
import { alertOutcome, renewal, rung } from './resources/renewal.ts';
import { renewalServiceType } from './resources/service-type.ts';
import { task } from './resources/task.ts';
import type { ServiceName } from './route-spec.ts';
import { customerId, instant, plainDate, recordId, subject, text } from './text.ts';

/**
 * Every event of the system, once: who publishes it, whether live screens hear of it, and what it carries. Producers
 * validate strictly; consumers parse leniently, so a field added later disturbs nobody.
 */
export interface EventSpec<Data extends z.ZodType = z.ZodType> {
  publisher: ServiceName | 'upstream';
  /** Live screens hear of it: it must then carry no message body. */
  live: boolean;
  /** Which field is the envelope's subject: the customer, or whom and what a provider speaks of. */
  subject: 'customer_id' | 'sender_key' | 'external_id';
  /** Who must take it: it waits with its publisher until these queues exist. */
  queues: readonly QueueName[];
  summary: string;
  data: Data;
}

type QueueName = `${ServiceName}:${string}:${string}`;

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
  attempt: z.int().min(1).meta({ description: '1, and one more for each time staff sent it again' }),
  type: outsideType,
  to: z.string().nullable().meta({ description: 'Phone in E.164 or e-mail address; null when the customer has none' }),
  user_id: z
    .string()
    .nullable()
    .meta({ description: "The customer's id at the messaging app, for one without a phone" }),
  subject: z.string().nullable(),
  body: z.string(),
  attachments: z.array(sentAttachment),
  in_reply_to: recordId.nullable(),
  thread: z
    .object({ external_id: z.string().nullable(), references: z.array(z.string()) })
    .meta({ description: "What it answers, by the provider's ids" }),
  renewal_id: recordId.nullable(),
  locale: z.string().nullable(),
  send_after: instant.nullable(),
  window_open_until: instant.nullable().meta({ description: 'End of the 24-hour window of the messaging app' }),
  template: z
    .object(messagingTemplate.shape)
    .nullish()
    .meta({ description: 'Chosen by whoever wrote it, for when that window is closed' }),
  automated: z.boolean().meta({ description: 'Written by no person: an opt-out stops it' }),
  opted_out: z.boolean(),
  do_not_contact: z.boolean(),
});

const deliveryUpdated = z.object({
  customer_id: customerId,
  occurred_at: instant,
  communication_id: recordId,
  attempt: z.int().min(1),
  attempt_id: recordId,
  status: z.enum(['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'UNCERTAIN', 'CANCELLED']),
  provider: z.string(),
  provider_message_id: z.string().nullable(),
  failure: failure.nullable(),
  send_after: instant.optional().meta({ description: 'Of a QUEUED one: it was put off until then' }),
});

const communicationSend = z.object({
  customer_id: customerId,
  occurred_at: instant,
  send_id: recordId.meta({ description: 'Becomes the id of the record: the same send is logged once' }),
  type: outsideType,
  subject: z.string().nullable(),
  body: z.string(),
  renewal_id: recordId.nullable(),
  rung: rung.nullable(),
  send_after: instant.nullable(),
});

const provider = z.enum(['cloud-api', 'twilio', 'postmark', 'mailgun', 'sendgrid', 'mime']);
export type InboundProvider = z.infer<typeof provider>;

/** What one item of a provider's delivery says, whoever the provider is. Large parts never ride the broker: they are pulled. */
const fromProvider = {
  delivery_id: recordId,
  item_id: recordId,
  provider,
  account: z.string().meta({ description: 'Which of our numbers or mailboxes' }),
  external_id: z.string().meta({ description: "The provider's id of the message" }),
  occurred_at: instant.meta({ description: "The provider's time, within reason" }),
  received_at: instant,
};

const sender = z.object({
  address: z.string().meta({ description: 'As the provider gave it' }),
  phone: z.string().nullable().meta({ description: '`+` and digits' }),
  email: z.string().nullable(),
  user_id: z.string().nullable().meta({ description: 'Of the messaging app; there may be no phone' }),
  name: z.string().nullable(),
});

const inboundPart = z.object({
  source: z.enum(['ingest', 'provider']).meta({ description: 'Who holds it: webhook-ingest, or the provider' }),
  ref: z.string().meta({ description: "The part's id, or the provider's media id or address" }),
  role: z.enum(['file', 'html', 'original']),
  name: z.string().nullable(),
  media_type: z.string(),
  size: z.int().nullable(),
  content_id: z.string().nullable(),
});

const providerMessageReceived = z.object({
  ...fromProvider,
  kind: z.enum(['message', 'reaction', 'edit', 'withdrawal', 'identity']),
  channel: outsideType,
  sender_key: z.string().meta({ description: 'The same for everything one sender says on one channel' }),
  sender,
  recipient: z.string().nullable(),
  subject: z.string().nullable(),
  body: z.string(),
  parts: z.array(inboundPart),
  answers: z
    .object({ external_ids: z.array(z.string()), token: z.string().nullable() })
    .meta({ description: 'What it answers: ids the provider names, newest first, and our own reply token' }),
  target_external_id: z.string().nullable().meta({ description: 'What is reacted to, edited or withdrawn' }),
  emoji: z.string().nullable().meta({ description: 'Of a reaction; null when it was taken back' }),
  new_identity: z
    .object({ phone: z.string().nullable(), user_id: z.string().nullable() })
    .nullable()
    .meta({ description: 'The sender goes by this from now on' }),
  automatic: z.boolean().meta({ description: 'A machine answered: never answer it by machine' }),
});

const providerReceiptReceived = z.object({
  ...fromProvider,
  provider: z.enum([...provider.options, 'smtp']).meta({ description: 'Who sent the message the receipt is for' }),
  attempt_id: recordId.nullable().meta({ description: 'Our own id of the attempt, where the provider gives it back' }),
  status: z.enum(['SENT', 'DELIVERED', 'READ', 'FAILED']),
  failure: failure.nullable(),
});

const communicationChanged = z.object({
  customer_id: customerId.nullable().meta({ description: 'null while nobody knows whose it is' }),
  occurred_at: instant,
  change: z.enum([
    'created',
    'read',
    'moved',
    'struck',
    'status',
    'linked',
    'unlinked',
    'attachment',
    'amended',
    'redacted',
  ]),
  communication_id: recordId.nullable().meta({ description: 'null when many changed at once' }),
  type: communicationType.nullable(),
  direction: direction.nullable(),
  status: communicationStatus.nullable(),
  renewal_id: recordId.nullable(),
  in_reply_to: recordId.nullable(),
  written_at: instant.nullable().meta({ description: 'When somebody wrote it, whatever happened to it since' }),
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
  service_label: z.string(),
  version: z.int().meta({ description: 'Of the renewal' }),
  assigned_agent: z.string().nullable(),
  reminders: renewal.shape.reminders,
});

/** The renewal as it is now, but for what is free text. */
const renewalChanged = renewal
  .pick({
    customer_id: true,
    service_type: true,
    due_date: true,
    status: true,
    policy_id: true,
    assigned_agent: true,
    reminders: true,
    successor_id: true,
    version: true,
  })
  .extend({
    occurred_at: instant,
    renewal_id: recordId,
    change: z.enum(['created', 'changed', 'started', 'overdue', 'completed', 'cancelled', 'reopened']),
  });

/** What an alert led to on one channel, as it was decided or, later, stopped. */
const alertPlanned = alertOutcome
  .pick({ channel: true, outcome: true, instead_of: true, reason: true, communication_id: true, task_id: true })
  .extend({
    customer_id: customerId,
    occurred_at: instant,
    renewal_id: recordId,
    due_date: plainDate,
    rung,
    send_after: instant.nullable(),
  });

const taskChanged = task
  .omit({ id: true, title: true, notes: true, created_at: true, updated_at: true })
  .extend({ task_id: recordId, occurred_at: instant });

/** What upstream systems tell: `expiry` by whatever name they have for it. */
const policyIssued = z.object({
  customer_id: customerId,
  policy_id: text(1, 200),
  end_date: plainDate,
  service_type: renewalServiceType.default('INSURANCE_POLICY'),
  assigned_agent: subject.nullish(),
});
const permitGranted = z.object({
  customer_id: customerId,
  permit_id: text(1, 200),
  expiry_date: plainDate,
  assigned_agent: subject.nullish(),
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
    subject: 'customer_id',
    queues: [],
    summary: 'An inbound message was logged; the unread count went up',
    data: communicationReceived,
  }),
  'communication.queued': spec({
    publisher: 'comms-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:communication:send'],
    summary: 'An outbound record waits for delivery',
    data: communicationQueued,
  }),
  'communication.changed': spec({
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:communication:link'],
    summary: 'A record was created, read, moved, struck or delivered',
    data: communicationChanged,
  }),
  'customer.changed': spec({
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: [],
    summary: 'A customer was created or changed; the whole of it',
    data: customerChanged,
  }),
  'communication.send': spec({
    publisher: 'notifier',
    live: false,
    subject: 'customer_id',
    queues: ['comms-service:communication:send'],
    summary: 'A planned message is due: it is to be logged and queued',
    data: communicationSend,
  }),
  'delivery.updated': spec({
    publisher: 'notifier',
    live: false,
    subject: 'customer_id',
    queues: ['comms-service:delivery:status', 'notifier:delivery:stand-in'],
    summary: 'What became of a send',
    data: deliveryUpdated,
  }),
  'provider.message.received': spec({
    publisher: 'webhook-ingest',
    live: false,
    subject: 'sender_key',
    queues: ['comms-service:provider-message:log'],
    summary: 'A customer, or somebody unknown, wrote to us',
    data: providerMessageReceived,
  }),
  'provider.receipt.received': spec({
    publisher: 'webhook-ingest',
    live: false,
    subject: 'external_id',
    queues: ['notifier:receipt:match'],
    summary: 'A provider tells what became of a message of ours',
    data: providerReceiptReceived,
  }),
  RENEWAL_TRIGGERED: spec({
    publisher: 'renewals-service',
    live: true,
    subject: 'customer_id',
    queues: [
      'comms-service:renewal:timeline',
      'notifier:renewal:messaging',
      'notifier:renewal:email',
      'notifier:renewal:task',
    ],
    summary: 'A refresh crossed an alert threshold',
    data: renewalTriggered,
  }),
  RENEWAL_COMPLETED: spec({
    publisher: 'renewals-service',
    live: true,
    subject: 'customer_id',
    queues: ['comms-service:renewal:timeline'],
    summary: 'A renewal was completed',
    data: renewalCompleted,
  }),
  'renewal.changed': spec({
    publisher: 'renewals-service',
    live: true,
    subject: 'customer_id',
    queues: ['notifier:renewal:follow'],
    summary: 'A renewal was made or changed; how it stands now',
    data: renewalChanged,
  }),
  'alert.planned': spec({
    publisher: 'notifier',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:alert:outcome'],
    summary: 'What an alert led to on one channel, or why it led to nothing',
    data: alertPlanned,
  }),
  'task.changed': spec({
    publisher: 'notifier',
    live: true,
    subject: 'customer_id',
    queues: [],
    summary: 'A task was made, changed or closed',
    data: taskChanged,
  }),
  'policy.issued': spec({
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A policy was issued: its end date is to be watched',
    data: policyIssued,
  }),
  'residence_permit.approved': spec({
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A residence permit was approved: its expiry is to be watched',
    data: permitGranted,
  }),
  'work_permit.issued': spec({
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A work permit was issued: its expiry is to be watched',
    data: permitGranted,
  }),
} satisfies Record<string, EventSpec>;

export type EventType = keyof typeof events;
export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>;

export const liveEventTypes = (Object.keys(events) as EventType[]).filter((type) => events[type].live);

/** Where each event must arrive. */
export const eventRoutes = (Object.keys(events) as EventType[]).flatMap((type) =>
  (events[type] as EventSpec).queues.map((queue) => ({ type, queue })),
);

/** What a queue hears. */
export const heardBy = (queue: string): EventType[] =>
  eventRoutes.filter((route) => route.queue === queue).map(({ type }) => type);
