import { z } from 'zod';
import { failure } from './resources/communication.ts';
import { customer } from './resources/customer.ts';
import { renewal } from './resources/renewal.ts';
import { retentionPlace, retentionSubject } from './resources/retention.ts';
import type { ServiceName } from './routes.ts';
import { customerId, instant, recordId } from './text.ts';

/**
 * What services ask each other. The gateway leads nowhere near these paths, and a service answers only to the service
 * that signed the call.
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
  callers: readonly ServiceName[];
  summary: string;
  params: Params;
  query: Query;
  body?: Body;
  /** Absent: the answer is a file. */
  result?: Result;
}

const none = z.strictObject({});
const ofRecord = z.strictObject({ id: recordId });

/** As it stands, so that its type tells whether it has a result. */
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

/** Everything before these instants has had its time. */
export const retentionOrder = z.strictObject({
  dry_run: z.boolean(),
  before: z.record(retentionSubject, instant),
});
export type RetentionOrder = z.infer<typeof retentionOrder>;

export const retentionOutcome = z.object({
  places: z.array(retentionPlace),
  complete: z.boolean().meta({ description: 'No call takes long: false when there is more to remove' }),
});
export type RetentionOutcome = z.infer<typeof retentionOutcome>;

/** What other services need to know of a customer, asked for when it is needed, so that it is never stale. */
export const customerCard = customer.pick({
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
});
export type CustomerCard = z.infer<typeof customerCard>;

/** How a renewal stands, as far as a message or a task about it goes. */
export const renewalStanding = renewal.pick({
  customer_id: true,
  due_date: true,
  status: true,
  assigned_agent: true,
  reminders: true,
  version: true,
});
export type RenewalStanding = z.infer<typeof renewalStanding>;

export const internalRoutes = {
  readCustomerCards: route({
    method: 'POST',
    path: '/internal/customers/cards',
    owner: 'comms-service',
    callers: ['renewals-service', 'notifier'],
    summary: 'These customers; those that do not exist are left out',
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
} satisfies Record<string, InternalRouteSpec>;
