import { z } from 'zod';
import type { Envelope } from './envelope.ts';
import { alertPlan } from './resources/alert-plan.ts';
import { attention } from './resources/attention.ts';
import { calendar } from './resources/calendar.ts';
import {
  communicationStatus,
  communicationType,
  contactCard,
  direction,
  failure,
  outsideType,
  place,
  senderVerified,
  sentAttachment,
} from './resources/communication.ts';
import { customer } from './resources/customer.ts';
import { messagingTemplate } from './resources/messaging-template.ts';
import { deed } from './resources/outreach.ts';
import { refreshRun } from './resources/refresh.ts';
import { alertOutcome, alertStep, hold, renewal, rung } from './resources/renewal.ts';
import { renewalServiceType } from './resources/service-type.ts';
import { agent, task } from './resources/task.ts';
import type { ServiceName } from './route-spec.ts';
import { customerId, instant, plainDate, recordId, subject, text } from './text.ts';

/**
 * Every event of the system, once: who publishes it, whether live screens hear of it, and what it carries. Producers
 * validate strictly; consumers parse leniently, so a field added later disturbs nobody.
 */
export interface EventSpec {
  publisher: ServiceName | 'upstream';
  /** Live screens hear of it: it must then carry no message body. */
  live: boolean;
  /** Which field is the envelope's subject: the customer, whom and what a provider speaks of, an import, an agent, a run or a setting. */
  subject:
    | ('customer_id' | 'sender_key' | 'external_id' | 'import_id' | 'agent_id' | 'run_id')
    | ('policy_id' | 'permit_id' | 'setting');
  /** Who must take it: it waits with its publisher until these queues exist. */
  queues: readonly QueueName[];
  /** Whether they are to hear of one that says this; else live screens alone are. Left out, of each. */
  concerns?(data: object): boolean;
  summary: string;
  data: z.ZodType;
}

type QueueName = `${ServiceName}:${string}:${string}`;

/** Left out by the version before, whose messages were about one. */
const renewalIds = z
  .array(recordId)
  .default([])
  .meta({ description: 'All it is about, the most urgent first; `renewal_id` is the first of them' });

/** What a message is about, whichever version told of it. */
export const renewalsIn = ({
  renewal_id,
  renewal_ids,
}: {
  renewal_id: string | null;
  renewal_ids: readonly string[];
}): string[] => {
  if (renewal_id === null) return [];
  return renewal_ids.length > 0 ? [...renewal_ids] : [renewal_id];
};

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
  attempt: z.int().min(1).meta({ description: '1, and one more for each time staff sent it again or changed it' }),
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
  unsubscribed: z
    .string()
    .optional()
    .meta({ description: 'Of a FAILED one: the provider refuses it since whoever has this address wants none' }),
  send_after_reason: failure.optional(),
});

const communicationSettled = z.object({
  customer_id: customerId,
  occurred_at: instant,
  communication_id: recordId,
  attempt: z.int().min(1),
  status: z.enum(['SENT', 'FAILED']),
  failure: failure.nullable(),
});

const communicationEchoed = z.object({
  customer_id: customerId,
  occurred_at: instant,
  communication_id: recordId,
  type: outsideType,
  provider: z.string(),
  provider_message_id: z.string(),
});

const communicationSend = z.object({
  customer_id: customerId,
  occurred_at: instant,
  send_id: recordId.meta({ description: 'Becomes the id of the record: the same send is logged once' }),
  type: outsideType,
  subject: z.string().nullable(),
  body: z.string(),
  renewal_id: recordId.nullable(),
  renewal_ids: renewalIds,
  rung: rung.nullable(),
  send_after: instant.nullable(),
  send_after_reason: failure.nullable().default(null).meta({ description: 'What it waits for until then' }),
});

const provider = z.enum(['cloud-api', 'twilio', 'postmark', 'mailgun', 'sendgrid', 'mime']);
export type InboundProvider = z.infer<typeof provider>;

/**
 * What one item of a webhook delivery says, whoever the provider is. Large parts never ride the broker: they are
 * pulled.
 */
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
  username: z.string().nullish().meta({ description: 'What they call themselves at the messaging app' }),
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
  kind: z.enum(['message', 'reaction', 'edit', 'withdrawal', 'identity', 'preference']),
  channel: outsideType,
  direction: direction
    .extract(['INBOUND', 'OUTBOUND'])
    .default('INBOUND')
    .meta({ description: 'OUTBOUND: staff wrote it with an app of the provider; it is logged and never sent' }),
  sender_key: z.string().meta({ description: 'The same for everything one sender says on one channel' }),
  sender: sender.meta({ description: 'The person at the other end: of an OUTBOUND one, whom it went to' }),
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
  reply_to: z.string().nullish().meta({ description: 'Of an e-mail: where its writer wants answers, if elsewhere' }),
  sender_verified: senderVerified.optional(),
  imported: z.boolean().default(false).meta({ description: 'Of a time before we listened: nobody wrote it now' }),
  forwarded: z.boolean().default(false).meta({ description: 'Somebody else wrote it first' }),
  group: z.string().nullable().default(null).meta({ description: 'The group it was written in' }),
  contacts: z
    .array(z.object(contactCard.shape))
    .default([])
    .meta({ description: 'Cards of people that it passes on, which `body` tells too' }),
  place: z
    .object(place.shape)
    .nullable()
    .default(null)
    .meta({ description: 'Where it points to, which `body` tells too' }),
  opted_out: z
    .boolean()
    .nullable()
    .default(null)
    .meta({ description: 'What the provider says the sender asked for: no automated messages, or to have them again' }),
  claimed_at: instant
    .nullable()
    .default(null)
    .meta({ description: 'What its sender dates it, where that is not believed' }),
});

const providerReceiptReceived = z.object({
  ...fromProvider,
  provider: z.enum([...provider.options, 'smtp']).meta({ description: 'Who sent the message the receipt is for' }),
  attempt_id: recordId.nullable().meta({ description: 'Our own id of the attempt, where the provider gives it back' }),
  status: z.enum(['SENT', 'DELIVERED', 'READ', 'FAILED']),
  failure: failure.nullable(),
  recipients: z
    .array(z.string())
    .optional()
    .meta({ description: 'Whom a mail server says it is about: it counts only if we wrote to one of them' }),
});

const communicationChanged = z.object({
  customer_id: customerId.nullable().meta({ description: 'null while nobody knows whose it is' }),
  occurred_at: instant,
  change: z.enum([
    'created',
    'read',
    'unread',
    'moved',
    'struck',
    'status',
    'linked',
    'unlinked',
    'dismissed',
    'restored',
    'attachment',
    'amended',
    'redacted',
  ]),
  communication_id: recordId.nullable().meta({ description: 'null when many changed at once' }),
  type: communicationType.nullable(),
  direction: direction.nullable(),
  status: communicationStatus.nullable(),
  renewal_id: recordId.nullable(),
  renewal_ids: renewalIds,
  in_reply_to: recordId.nullable(),
  written_at: instant.nullable().meta({ description: 'When somebody wrote it, whatever happened to it since' }),
  automatic: z.boolean().default(false).meta({ description: "A machine wrote it: it is nobody's answer" }),
});

type CommunicationChanged = z.infer<typeof communicationChanged>;

/**
 * That it is about a renewal, or may be so no longer, as `unlinked` tells, which names the one it was about: what takes it away may
 * be heard of before what put it there. What happens to a file of a message, or to its being unread, changes nothing of a renewal.
 */
export const saysOfRenewals = (told: CommunicationChanged): boolean =>
  told.communication_id !== null &&
  !silentOfRenewals.includes(told.change) &&
  (renewalsIn(told).length > 0 || takesAway(told));

const silentOfRenewals: readonly CommunicationChanged['change'][] = ['read', 'struck', 'attachment'];

/** `amended` may tell that it answers what is about no renewal. */
const takesAway = ({ change, in_reply_to }: CommunicationChanged) =>
  change === 'unlinked' || change === 'moved' || (change === 'amended' && in_reply_to !== null);

const noteMentioned = z.object({
  customer_id: customerId,
  occurred_at: instant,
  communication_id: recordId,
  mentioned_by: subject,
  agents: z.array(subject).min(1),
});

const attentionChanged = attention.extend({ occurred_at: instant });

/** The customer as it is now, but for its unread count and times, which are no change of it, and what only a screen shows. */
const customerChanged = customer
  .omit({ id: true, identifiers: true, sources: true, unread_count: true, created_at: true, updated_at: true })
  .extend({
    customer_id: customerId,
    occurred_at: instant,
    archived_at: customer.shape.archived_at.default(null),
  });

/** Where an id leads from now on. All that was said of it goes there, also what somebody still says of it. */
const customerMerged = z.object({
  customer_id: customerId,
  into: customerId.nullable().meta({ description: 'Who it is; null: taken back, it is its own again' }),
  version: z.int().min(1).meta({ description: 'Counts what was decided of this id: the highest holds' }),
  occurred_at: instant,
});

const customerErased = z.object({
  customer_id: customerId,
  aliases: z.array(customerId).meta({ description: 'Other ids of theirs, which are erased too' }),
  occurred_at: instant,
});

/** Left out by the version before, which knew of none. */
const heldBy = z
  .object(hold.shape)
  .nullable()
  .default(null)
  .meta({ description: 'What held it when this was told; null: nothing did' });

/** Left out by the version before, which knew of none. */
const writtenUnder = customerId
  .nullish()
  .meta({ description: 'The id of the customer it was made under, where that is or was another than `customer_id`' });

const renewalTriggered = z.object({
  customer_id: customerId,
  written_under: writtenUnder,
  occurred_at: instant,
  renewal_id: recordId,
  service_type: z.string(),
  due_date: plainDate,
  rung,
  days_until_due: z.int(),
  superseded: z.array(rung),
  silent: z
    .boolean()
    .default(false)
    .meta({ description: 'The date came in silently with this rung reached: the customer is not written to' }),
  service_label: z.string(),
  service_labels: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'By language, where it is called otherwise than `service_label`' }),
  number: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: 'Of the policy or permit, by which the customer may know it' }),
  version: z.int().meta({ description: 'Of the renewal' }),
  assigned_agent: z.string().nullable(),
  reminders: renewal.shape.reminders,
  hold: heldBy,
  run_id: recordId
    .nullable()
    .default(null)
    .meta({ description: 'Of the refresh that fired it; null: it is told alone, whatever else fired' }),
});

/** A message, or task, of an alert that fired before: a step that follows it, or what a hold had kept back. */
const renewalOutreach = renewalTriggered.extend({
  step: alertStep,
  does: deed
    .nullable()
    .default(null)
    .meta({ description: 'As the alert plan had it when the alert fired; null: the messages of the alert' }),
});

const refreshFinished = z.object({
  run_id: recordId,
  as_of: plainDate,
  status: refreshRun.shape.status.exclude(['RUNNING']),
  alerts: z.int().min(0).meta({ description: 'How many it told of: RENEWAL_TRIGGERED and renewal.outreach' }),
  occurred_at: instant,
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
    hold: heldBy,
    written_under: writtenUnder,
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
    step: alertStep.default('0'),
    send_after: instant.nullable(),
    send_after_reason: failure.nullable().default(null),
  });

const taskChanged = task
  .omit({ id: true, title: true, notes: true, communication_id: true, responsible_agent: true })
  .omit({ created_at: true, updated_at: true })
  .extend({ task_id: recordId, occurred_at: instant });

const agentChanged = agent
  .pick({ name: true, absent_until: true, deputy: true, version: true })
  .extend({ agent_id: subject, occurred_at: instant });

const calendarChanged = calendar
  .omit({ updated_at: true, updated_by: true })
  .extend({ setting: z.literal('calendar'), occurred_at: instant });

const alertPlanChanged = alertPlan
  .omit({ updated_at: true, updated_by: true })
  .extend({ setting: z.literal('alert_plan'), occurred_at: instant });

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

const policyEnded = z.object({ policy_id: text(1, 200) });
const permitEnded = z.object({ permit_id: text(1, 200) });

const renewalSourceEnded = renewal
  .pick({ customer_id: true, service_type: true, due_date: true, assigned_agent: true })
  .extend({
    renewal_id: recordId,
    written_under: writtenUnder,
    occurred_at: instant,
    service_label: z.string(),
    source: z.object({ kind: z.enum(['policy', 'residence_permit', 'work_permit']), id: z.string() }),
    cancelled: z.boolean().meta({ description: 'false: it stands for something else, and goes on' }),
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

const importToContinue = z.object({ import_id: recordId });

export const events = {
  COMMUNICATION_RECEIVED: {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: [],
    summary: 'An inbound message was logged; the unread count went up',
    data: communicationReceived,
  },
  'communication.queued': {
    publisher: 'comms-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:communication:send'],
    summary: 'An outbound record waits for delivery',
    data: communicationQueued,
  },
  'communication.changed': {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:communication:link'],
    concerns: saysOfRenewals,
    summary: 'A record was created, read, moved, struck or delivered',
    data: communicationChanged,
  },
  'note.mentioned': {
    publisher: 'comms-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:note:mentioned'],
    summary: 'A note names agents: each is to be told of it',
    data: noteMentioned,
  },
  'communication.settled': {
    publisher: 'comms-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:communication:settled'],
    summary: 'Staff found out what became of an UNCERTAIN message of an alert',
    data: communicationSettled,
  },
  'communication.echoed': {
    publisher: 'comms-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:communication:echo'],
    summary: 'A record of what staff sent by themselves: receipts for it are to be heard',
    data: communicationEchoed,
  },
  'customer.changed': {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:customer:follow', 'notifier:customer:follow'],
    summary: 'A customer was created or changed; the whole of it',
    data: customerChanged,
  },
  'customer.merged': {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:customer:follow', 'notifier:customer:follow'],
    summary: 'A customer turned out to be another one, or no longer is taken to be',
    data: customerMerged,
  },
  'customer.erased': {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: [],
    summary:
      'A customer was erased: the id is nobody any more, and whoever keeps anything of them elsewhere is to erase it',
    data: customerErased,
  },
  'attention.changed': {
    publisher: 'comms-service',
    live: true,
    subject: 'customer_id',
    queues: [],
    summary:
      'Somebody is done with a customer who waited for an answer, or put them off; what messages change of it, communication.changed tells',
    data: attentionChanged,
  },
  'communication.send': {
    publisher: 'notifier',
    live: false,
    subject: 'customer_id',
    queues: ['comms-service:communication:send'],
    summary: 'A planned message is due: it is to be logged and queued',
    data: communicationSend,
  },
  'customer_import.continue': {
    publisher: 'comms-service',
    live: false,
    subject: 'import_id',
    queues: ['comms-service:import:work'],
    summary: 'A file of customers has rows that are to be looked through or taken in',
    data: importToContinue,
  },
  'delivery.updated': {
    publisher: 'notifier',
    live: false,
    subject: 'customer_id',
    queues: ['comms-service:delivery:status', 'notifier:delivery:stand-in'],
    summary: 'What became of a send',
    data: deliveryUpdated,
  },
  'provider.message.received': {
    publisher: 'webhook-ingest',
    live: false,
    subject: 'sender_key',
    queues: ['comms-service:provider-message:log'],
    summary: 'A customer, or somebody unknown, wrote to us, or one of us to them from elsewhere',
    data: providerMessageReceived,
  },
  'provider.receipt.received': {
    publisher: 'webhook-ingest',
    live: false,
    subject: 'external_id',
    queues: ['notifier:receipt:match'],
    summary: 'A provider tells what became of a message of ours',
    data: providerReceiptReceived,
  },
  RENEWAL_TRIGGERED: {
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
  },
  'renewal.outreach': {
    publisher: 'renewals-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:renewal:messaging', 'notifier:renewal:email', 'notifier:renewal:task'],
    summary: 'Something more is to be done at an alert threshold that was crossed before: a message, or a call',
    data: renewalOutreach,
  },
  'refresh.finished': {
    publisher: 'renewals-service',
    live: false,
    subject: 'run_id',
    queues: ['notifier:refresh:letters'],
    summary: 'A refresh is over, completed or not: it tells of no more alerts',
    data: refreshFinished,
  },
  RENEWAL_COMPLETED: {
    publisher: 'renewals-service',
    live: true,
    subject: 'customer_id',
    queues: ['comms-service:renewal:timeline'],
    summary: 'A renewal was completed',
    data: renewalCompleted,
  },
  'renewal.source_ended': {
    publisher: 'renewals-service',
    live: false,
    subject: 'customer_id',
    queues: ['notifier:renewal:confirm'],
    summary:
      'Upstream says that a policy or permit ended: somebody is to confirm with the customer what that means for this renewal',
    data: renewalSourceEnded,
  },
  'renewal.changed': {
    publisher: 'renewals-service',
    live: true,
    subject: 'customer_id',
    queues: ['notifier:renewal:follow'],
    summary: 'A renewal was made or changed; how it stands now',
    data: renewalChanged,
  },
  'renewal_import.continue': {
    publisher: 'renewals-service',
    live: false,
    subject: 'import_id',
    queues: ['renewals-service:import:work'],
    summary: 'A file of renewals has rows that are to be looked through or taken in',
    data: importToContinue,
  },
  'alert.planned': {
    publisher: 'notifier',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:alert:outcome'],
    summary: 'What an alert led to on one channel, or why it led to nothing',
    data: alertPlanned,
  },
  'task.changed': {
    publisher: 'notifier',
    live: true,
    subject: 'customer_id',
    queues: ['renewals-service:task:follow'],
    summary: 'A task was made, changed or closed; how it stands now',
    data: taskChanged,
  },
  'agent.changed': {
    publisher: 'notifier',
    live: true,
    subject: 'agent_id',
    queues: ['renewals-service:agent:follow', 'comms-service:agent:follow'],
    summary: 'An agent became known, is absent or has another deputy; how they stand now',
    data: agentChanged,
  },
  'calendar.changed': {
    publisher: 'notifier',
    live: true,
    subject: 'setting',
    queues: [],
    summary: "The firm's working days, hours or holidays were changed; all of them now",
    data: calendarChanged,
  },
  'alert_plan.changed': {
    publisher: 'notifier',
    live: true,
    subject: 'setting',
    queues: ['renewals-service:alert-plan:follow'],
    summary: 'What alerts do was changed; all of it now',
    data: alertPlanChanged,
  },
  'policy.issued': {
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A policy was issued: its end date is to be watched',
    data: policyIssued,
  },
  'residence_permit.approved': {
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A residence permit was approved: its expiry is to be watched',
    data: permitGranted,
  },
  'work_permit.issued': {
    publisher: 'upstream',
    live: false,
    subject: 'customer_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A work permit was issued: its expiry is to be watched',
    data: permitGranted,
  },
  'policy.cancelled': {
    publisher: 'upstream',
    live: false,
    subject: 'policy_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A policy was cancelled: what was watched for it is not to be renewed',
    data: policyEnded,
  },
  'residence_permit.withdrawn': {
    publisher: 'upstream',
    live: false,
    subject: 'permit_id',
    queues: ['renewals-service:upstream:watch'],
    summary:
      'A residence permit was withdrawn: what was watched for it is not to be renewed, and somebody is to act at once',
    data: permitEnded,
  },
  'work_permit.ended': {
    publisher: 'upstream',
    live: false,
    subject: 'permit_id',
    queues: ['renewals-service:upstream:watch'],
    summary: 'A work permit ended before its time: what was watched for it is not to be renewed',
    data: permitEnded,
  },
} as const satisfies Record<string, EventSpec>;

/**
 * Where an event says of which type the message is that it carries, as a regular expression for its text: who keeps an event
 * that nobody could read has no more than that. Within a string these quotes would be escaped.
 */
export const messageTypeInText = `"(?:type|channel)":"(${communicationType.options.join('|')})"`;

export type EventType = keyof typeof events;
export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>;
/** An event of one of these types, its data as the catalogue has them. */
export type EventOf<T extends EventType> = { [K in T]: Envelope<K, EventData<K>> }[T];

export const liveEventTypes = (Object.keys(events) as EventType[]).filter((type) => events[type].live);

/** Who tells of what; of what a system outside posts, whoever takes it. */
export const publishers = Object.entries(events).map(([type, { publisher }]): [string, ServiceName] => [
  type,
  publisher === 'upstream' ? 'renewals-service' : publisher,
]);

/** Where each event must arrive. */
export const eventRoutes = (Object.keys(events) as EventType[]).flatMap((type) =>
  events[type].queues.map((queue) => ({ type, queue })),
);

/** What cannot be read may concern them. */
export function concernsQueues({ type, data }: Envelope): boolean {
  const { concerns, data: schema }: Partial<EventSpec> = events[type as EventType] ?? {};
  if (!(concerns && schema)) return true;
  const told = schema.safeParse(data);
  return !told.success || concerns(told.data as object);
}

/** What a queue hears. */
export type HeardBy<Queue extends string> = {
  [T in EventType]: Queue extends (typeof events)[T]['queues'][number] ? T : never;
}[EventType];
export const heardBy = <Queue extends string>(queue: Queue) =>
  eventRoutes.filter((route) => route.queue === queue).map(({ type }) => type) as HeardBy<Queue>[];

/** Reads what came to a queue: leniently, and what the catalogue does not name is left out of the data. */
export function readerOf<Queue extends string>(queue: Queue) {
  const types: EventType[] = heardBy(queue);
  const schemas = types.map((type) => z.looseObject({ type: z.literal(type), data: events[type].data }));
  const oneOf = `must be one of ${types.join(', ')}`;
  const heard = z.discriminatedUnion('type', schemas as unknown as [z.ZodObject], oneOf);
  return (event: Envelope) => heard.safeParse(event) as unknown as z.ZodSafeParseResult<EventOf<HeardBy<Queue>>>;
}
