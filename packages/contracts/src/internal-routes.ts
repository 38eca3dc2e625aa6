import { z } from 'zod';
import { problem } from './problem.ts';
import { alertPlan } from './resources/alert-plan.ts';
import { failure } from './resources/communication.ts';
import { customer } from './resources/customer.ts';
import { deed } from './resources/outreach.ts';
import { alertStep, hold, leaves, renewal, rung } from './resources/renewal.ts';
import { retentionPlace, retentionSubject } from './resources/retention.ts';
import type { ProcessName, ServiceName } from './routes.ts';
import { customerId, instant, plainDate, recordId, subject, text } from './text.ts';

/**
 * What processes ask each other. The gateway leads nobody near these paths, and a service answers only to the process that
 * signed the call.
 */
export interface InternalRouteSpec<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST';
  path: `/internal/${string}`;
  owner: ServiceName | 'every';
  callers: readonly ProcessName[];
  summary: string;
  params: Params;
  query: Query;
  body?: Body;
  /** Left out: no more than a route for people takes. */
  mostBytes?: number;
  /** Absent: the answer is a file. */
  result?: Result;
}

const none = z.strictObject({});
const ofRecord = z.strictObject({ id: recordId });

/** Keeps the type of a route as it is written, which tells whether it has a result. */
const route = <S extends InternalRouteSpec>(spec: S) => spec;

/** Nothing is sent on the word of an event alone: what may have changed since is asked for right before. */
export const sendPermission = z.object({
  may_send: z.boolean(),
  reason: failure.nullable(),
  to: z.string().nullable(),
  user_id: z.string().nullable(),
  window_open_until: instant.nullable(),
  time_zone: z.string().nullable().default(null).meta({ description: "The customer's own" }),
});
export type SendPermission = z.infer<typeof sendPermission>;

/** Of each kind of row, the instant before which everything is past its time. */
export const retentionOrder = z.strictObject({
  dry_run: z.boolean(),
  before: z.record(retentionSubject, instant),
  held: z
    .array(customerId)
    .default([])
    .meta({ description: 'Customers on legal hold, each by all of their ids: of theirs nothing is removed' }),
});
export type RetentionOrder = z.infer<typeof retentionOrder>;

export const retentionOutcome = z.object({
  places: z.array(retentionPlace),
  complete: z.boolean().meta({ description: 'No call takes long: false when there is more to remove' }),
});
export type RetentionOutcome = z.infer<typeof retentionOutcome>;

/** Whom to erase, and what is known of them to find them by; of much that was said a portion at a time. */
export const erasureOrder = z.strictObject({
  erasure_id: recordId,
  erased_at: instant,
  customer_ids: z.array(customerId).min(1),
  addresses: z
    .array(z.strictObject({ kind: z.enum(['phone', 'email', 'user_id']), value: z.string() }))
    .meta({ description: 'Those that no other customer has' }),
  records: z.array(recordId).meta({ description: 'Their messages' }),
  externals: z.array(z.string()).meta({ description: 'What providers call these' }),
  events: z
    .array(z.string())
    .meta({ description: 'What was told of them: whoever hears it from now on knows it already' }),
  from: z
    .strictObject({ place: z.string(), after: z.string().nullable() })
    .nullable()
    .meta({ description: 'Where the call before ended; null: from the beginning' }),
});
export type ErasureOrder = z.infer<typeof erasureOrder>;

export const erasureOutcome = z.object({
  places: z.array(retentionPlace).meta({ description: 'How many rows of each place were erased so far, in all calls' }),
  changed: z.int().meta({ description: 'How many in this call' }),
  waits: z.int().meta({ description: 'How much is under way and goes by itself' }),
  events: z
    .array(z.string())
    .meta({ description: 'What this service had told of them, as far as it was found so far' }),
  next: erasureOrder.shape.from.meta({ description: 'Where to go on; null: it came to its end' }),
});
export type ErasureOutcome = z.infer<typeof erasureOutcome>;

/** What other services need to know of a customer, asked for when it is needed, so that it is never stale. */
export const customerCard = customer
  .pick({
    id: true,
    name: true,
    phones: true,
    emails: true,
    user_ids: true,
    opted_out: true,
    locale: true,
    time_zone: true,
    assigned_agent: true,
    preferred_channel: true,
    do_not_contact: true,
  })
  .extend({
    version: customer.shape.version.optional().meta({ description: 'Left out by the version before' }),
    merged: z.object({ into: customerId.nullable(), version: z.int() }).nullable().default(null).meta({
      description: 'The newest of what was decided of this id, of the card of an id that was merged; null: nothing was',
    }),
  });
export type CustomerCard = z.infer<typeof customerCard>;

/** How a renewal stands, as far as a message or a task about it goes. */
export const renewalStanding = renewal
  .pick({
    customer_id: true,
    due_date: true,
    status: true,
    assigned_agent: true,
    reminders: true,
    version: true,
  })
  .extend({
    // The version before tells of none.
    hold: hold.nullable().default(null),
    written_under: customerId.nullish(),
  });
export type RenewalStanding = z.infer<typeof renewalStanding>;

/** Why the message of an alert is of no use any more, and which alert is to be sent today in its place. */
export const overtaking = z.object({
  message: z.string(),
  newest_alert: problem.shape.newest_alert.unwrap().nullable(),
});
export type Overtaking = z.infer<typeof overtaking>;

const nextRenewal = renewal.pick({ id: true, customer_id: true, service_type: true, due_date: true });
export type NextRenewal = z.infer<typeof nextRenewal>;

/** An alert, or what follows one. The version before knows of no steps, nights and dates. */
const awaitedAlert = z.strictObject({
  rung,
  step: alertStep.default('0'),
  does: deed.nullable().default(null),
  silent: z.boolean(),
  on: plainDate.optional().meta({ description: 'The night; left out: it is not asked when messages leave' }),
});
/** What a renewal is to have, in the order of the nights. */
const awaitedAlerts = z.strictObject({
  customer_id: customerId,
  reminders: renewal.shape.reminders,
  due_date: plainDate.optional(),
  alerts: z.array(awaitedAlert).max(60),
});
export type AwaitedAlerts = z.infer<typeof awaitedAlerts>;

/** What one of them would lead to. */
const foreseenAlert = z.object({
  messages: z.int().min(0),
  task: z.boolean(),
  leaves: leaves.nullable().default(null),
});
export type ForeseenAlert = z.infer<typeof foreseenAlert>;

/** Of whom a service is to tell all it holds, and by what webhook-ingest, which knows no customers, finds it. */
export const exportOrder = z.strictObject({
  customer_ids: z.array(customerId).min(1).meta({ description: 'The customer, by all of their ids' }),
  records: z
    .array(recordId)
    .default([])
    .meta({ description: 'What providers brought of them, by the ids of its items' }),
  externals: z.array(z.string()).default([]).meta({ description: 'What providers call their messages' }),
});
export type ExportOrder = z.output<typeof exportOrder>;

/** Each line of what it tells: of each kind what it is, then its rows; at the end that this was all. */
export const exportLine = z.union([
  z.object({ kind: z.string().regex(/^[a-z]+(-[a-z]+)*$/), title: z.string() }),
  z.object({ row: z.record(z.string(), z.unknown()) }),
  z.object({ end: z.literal(true) }),
]);
export type ExportLine = z.infer<typeof exportLine>;

export const internalRoutes = {
  readCustomerCards: route({
    method: 'POST',
    path: '/internal/customers/cards',
    owner: 'comms-service',
    callers: ['renewals-service', 'notifier'],
    summary:
      'These customers, each under the id asked for, with the facts of whom that leads to; those that do not exist are left out',
    params: none,
    query: none,
    body: z.strictObject({ ids: z.array(customerId).max(200) }),
    result: z.object({ data: z.array(customerCard) }),
  }),
  getDeliveryPart: route({
    method: 'GET',
    path: '/internal/delivery-parts/:id',
    owner: 'webhook-ingest',
    callers: ['comms-service'],
    summary: 'An attachment, HTML body or original of an e-mail, as the provider delivered it',
    params: ofRecord,
    query: none,
  }),
  getDeliveryBody: route({
    method: 'GET',
    path: '/internal/deliveries/:id/body',
    owner: 'webhook-ingest',
    callers: ['comms-service'],
    summary: 'What a provider posted, as it came',
    params: ofRecord,
    query: none,
  }),
  holdDeliveries: route({
    method: 'POST',
    path: '/internal/deliveries/hold',
    owner: 'webhook-ingest',
    callers: ['comms-service'],
    summary: 'What brought these items stays for the retention run that begins, whatever its age',
    params: none,
    query: none,
    body: z.strictObject({ item_ids: z.array(recordId).max(5_000) }),
    result: z.object({ held: z.int() }),
  }),
  getAttachmentContent: route({
    method: 'GET',
    path: '/internal/attachments/:id',
    owner: 'comms-service',
    callers: ['notifier'],
    summary: 'A file to be sent',
    params: ofRecord,
    query: none,
  }),
  askToSend: route({
    method: 'GET',
    path: '/internal/communications/:id/send-permission',
    owner: 'comms-service',
    callers: ['notifier'],
    summary: 'May this attempt be sent now, and where to',
    params: ofRecord,
    query: z.strictObject({ attempt: z.coerce.number().int().min(1) }),
    result: sendPermission,
  }),
  askToSendSeveral: route({
    method: 'POST',
    path: '/internal/communications/send-permissions',
    owner: 'comms-service',
    callers: ['notifier'],
    summary:
      'The same of several attempts, in the order given; null: there is no such communication, or it cannot be said of it now',
    params: none,
    query: none,
    body: z.strictObject({ data: z.array(z.strictObject({ id: recordId, attempt: z.int().min(1) })).max(200) }),
    result: z.object({ data: z.array(sendPermission.nullable()) }),
  }),
  readRenewalStanding: route({
    method: 'GET',
    path: '/internal/renewals/:id/standing',
    owner: 'renewals-service',
    callers: ['notifier'],
    summary: 'Whose it is, and is there still a reason to write about it now',
    params: ofRecord,
    query: none,
    result: renewalStanding,
  }),
  readRenewalStandings: route({
    method: 'POST',
    path: '/internal/renewals/standings',
    owner: 'renewals-service',
    callers: ['notifier'],
    summary: 'The same of several renewals, in the order given; null: there is none',
    params: none,
    query: none,
    body: z.strictObject({ ids: z.array(recordId).max(200) }),
    result: z.object({ data: z.array(renewalStanding.nullable()) }),
  }),
  readNextRenewals: route({
    method: 'POST',
    path: '/internal/renewals/next',
    owner: 'renewals-service',
    callers: ['comms-service'],
    summary: 'Of each of these customers the active renewal that is due first; who has none is left out',
    params: none,
    query: none,
    body: z.strictObject({ customer_ids: z.array(customerId).max(200) }),
    result: z.object({ data: z.array(nextRenewal) }),
  }),
  readOvertaking: route({
    method: 'GET',
    path: '/internal/communications/:id/overtaking',
    owner: 'notifier',
    callers: ['comms-service'],
    summary: 'Whether the alert that this message is of was overtaken since, and by what',
    params: ofRecord,
    query: none,
    result: z.object({ overtaken: overtaking.nullable() }),
  }),
  foreseeAlerts: route({
    method: 'POST',
    path: '/internal/alerts/foresee',
    owner: 'notifier',
    callers: ['renewals-service'],
    summary: 'What these alerts would lead to, by the alert plan and the customers as they stand; in the order given',
    params: none,
    query: none,
    body: z.strictObject({ data: z.array(awaitedAlerts).max(200) }),
    result: z.object({ data: z.array(z.array(foreseenAlert)) }),
  }),
  readAlertPlan: route({
    method: 'GET',
    path: '/internal/alert-plan',
    owner: 'notifier',
    callers: ['renewals-service'],
    summary: 'What alerts do, for who has not heard of it yet',
    params: none,
    query: none,
    result: alertPlan.pick({ steps: true, version: true }),
  }),
  answerBy: route({
    method: 'POST',
    path: '/internal/calendar/answer-by',
    owner: 'notifier',
    callers: ['comms-service'],
    summary: 'By when the firm means to have answered what was written at each of these instants; in the order given',
    params: none,
    query: none,
    body: z.strictObject({ written: z.array(instant).max(200) }),
    result: z.object({ data: z.array(instant) }),
  }),
  readKnownAgents: route({
    method: 'POST',
    path: '/internal/agents/known',
    owner: 'notifier',
    callers: ['comms-service', 'renewals-service'],
    summary: 'Which of these are agents',
    params: none,
    query: none,
    body: z.strictObject({ ids: z.array(subject).max(1_000) }),
    result: z.object({ data: z.array(z.string()) }),
  }),
  noteSignIn: route({
    method: 'POST',
    path: '/internal/agents/signed-in',
    owner: 'notifier',
    callers: ['gateway'],
    summary: 'Somebody of the firm signed in: an agent from then on',
    params: none,
    query: none,
    body: z.strictObject({ id: subject, name: text(1, 200) }),
    result: z.object({ id: z.string() }),
  }),
  applyRetention: route({
    method: 'POST',
    path: '/internal/retention',
    owner: 'every',
    callers: ['comms-service'],
    summary: "Remove, or count, what is past its time in the service's own places",
    params: none,
    query: none,
    body: retentionOrder,
    result: retentionOutcome,
  }),
  applyErasure: route({
    method: 'POST',
    path: '/internal/erasure',
    owner: 'every',
    callers: ['comms-service'],
    summary: "Erase what lies of a person in the service's own places",
    params: none,
    query: none,
    body: erasureOrder,
    result: erasureOutcome,
  }),
  exportPart: route({
    method: 'POST',
    path: '/internal/export',
    owner: 'every',
    callers: ['comms-service'],
    summary: 'All that the service holds of a customer, in lines of JSON',
    params: none,
    query: none,
    body: exportOrder,
    mostBytes: 64 * 1024 * 1024,
  }),
} satisfies Record<string, InternalRouteSpec>;
