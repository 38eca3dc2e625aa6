import { z } from 'zod';
import * as communication from './resources/communication.ts';
import * as customer from './resources/customer.ts';
import * as deadLetter from './resources/dead-letter.ts';
import { me } from './resources/me.ts';
import * as retention from './resources/retention.ts';
import * as timeline from './resources/timeline.ts';
import * as unmatched from './resources/unmatched.ts';
import * as webhook from './resources/webhook-delivery.ts';
import type { Role } from './roles.ts';
import { customerId, recordId } from './text.ts';

/**
 * The table of every route under /ops: who may call it, which process owns it, what goes in and what comes out.
 * The gateway authorises and routes by it, services validate by it, the OpenAPI document is generated from it.
 */
export interface RouteSpec<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Written as in the specification, `:name` for a parameter. */
  path: `/ops/${string}`;
  /** `named` means the service the path names; `gateway` answers itself. */
  owner: ServiceName | 'named' | 'gateway';
  roles: readonly Role[];
  summary: string;
  params: Params;
  query: Query;
  /** Absent: no body is read. */
  body?: Body;
  /** The body may be left out altogether, Content-Type included. */
  bodyOptional?: boolean;
  /** The body is a file, of any media type and up to this size, instead of JSON. */
  upload?: { mostBytes: number };
  /** Success status and what it carries. A second one where a route may create or find. */
  success: Partial<Record<200 | 201 | 202, Result>>;
  /** The single resource has an ETag; a change honours If-Match. */
  etag?: boolean;
  /** The answer is not JSON, but this; any, where it is a file. */
  mediaType?: string;
}

export const serviceNames = ['comms-service', 'renewals-service', 'webhook-ingest', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];

const daily = ['admin', 'staff'] as const;
const none = z.strictObject({});
const ofCustomer = z.strictObject({ id: customerId });
const ofRecord = z.strictObject({ id: recordId });
const ofService = z.strictObject({ name: z.enum(serviceNames) });

const route = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  spec: RouteSpec<P, Q, B, R>,
) => spec;

/** Its type says that the body is a file. */
const uploadRoute = <P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
  spec: RouteSpec<P, Q, z.ZodType, R> & Required<Pick<RouteSpec, 'upload'>>,
) => spec;

export const routes = {
  putCustomer: route({
    method: 'PUT',
    path: '/ops/customers/:id',
    owner: 'comms-service',
    roles: [...daily, 'automation'],
    summary: 'Create a customer or replace what the firm knows of it',
    params: ofCustomer,
    query: none,
    body: customer.putCustomer,
    success: { 200: customer.customer, 201: customer.customer },
    etag: true,
  }),
  listCustomers: route({
    method: 'GET',
    path: '/ops/customers',
    owner: 'comms-service',
    roles: [...daily, 'automation'],
    summary: 'Find customers by name, phone, e-mail address or id',
    params: none,
    query: customer.customerListQuery,
    success: { 200: customer.customerPage },
  }),
  getCustomer: route({
    method: 'GET',
    path: '/ops/customers/:id',
    owner: 'comms-service',
    roles: [...daily, 'automation'],
    summary: 'One customer with its unread count',
    params: ofCustomer,
    query: none,
    success: { 200: customer.customer },
    etag: true,
  }),
  createCommunication: route({
    method: 'POST',
    path: '/ops/customers/:id/communications',
    owner: 'comms-service',
    roles: [...daily, 'automation'],
    summary: 'Log a communication; an OUTBOUND one is queued for delivery',
    params: ofCustomer,
    query: none,
    body: communication.createCommunication,
    success: { 201: communication.communication },
  }),
  listCommunications: route({
    method: 'GET',
    path: '/ops/customers/:id/communications',
    owner: 'comms-service',
    roles: [...daily, 'automation', 'customer'],
    summary: "The customer's communications, newest first",
    params: ofCustomer,
    query: communication.communicationListQuery,
    success: { 200: communication.communicationPage },
  }),
  createNote: route({
    method: 'POST',
    path: '/ops/customers/:id/notes',
    owner: 'comms-service',
    roles: daily,
    summary: 'Write an internal note, visible to staff only',
    params: ofCustomer,
    query: none,
    body: communication.createNote,
    success: { 201: communication.communication },
  }),
  markCommunicationsRead: route({
    method: 'PATCH',
    path: '/ops/customers/:id/communications/read',
    owner: 'comms-service',
    roles: daily,
    summary: "Mark the customer's communications as read",
    params: ofCustomer,
    query: none,
    body: communication.markRead,
    bodyOptional: true,
    success: { 200: communication.markReadResult },
  }),
  moveCommunication: route({
    method: 'POST',
    path: '/ops/communications/:id/move',
    owner: 'comms-service',
    roles: daily,
    summary: 'Refile a communication that was logged with the wrong customer',
    params: ofRecord,
    query: none,
    body: communication.moveCommunication,
    success: { 200: communication.communication },
  }),
  strikeCommunication: route({
    method: 'POST',
    path: '/ops/communications/:id/strike',
    owner: 'comms-service',
    roles: daily,
    summary: 'Strike out a wrong note or call log: kept, and shown struck',
    params: ofRecord,
    query: none,
    success: { 200: communication.communication },
  }),
  retryCommunication: route({
    method: 'POST',
    path: '/ops/communications/:id/retry',
    owner: 'comms-service',
    roles: daily,
    summary: 'Send a FAILED communication again',
    params: ofRecord,
    query: none,
    success: { 200: communication.communication },
  }),
  resolveCommunication: route({
    method: 'POST',
    path: '/ops/communications/:id/resolve',
    owner: 'comms-service',
    roles: daily,
    summary: 'Settle an UNCERTAIN communication: it was sent after all, or it was not',
    params: ofRecord,
    query: none,
    body: communication.resolveCommunication,
    success: { 200: communication.communication },
  }),
  listFailedCommunications: route({
    method: 'GET',
    path: '/ops/communications/failed',
    owner: 'comms-service',
    roles: daily,
    summary: 'Failed and uncertain sends of all customers, newest first',
    params: none,
    query: communication.failedQuery,
    success: { 200: communication.failedPage },
  }),
  listCommunicationHistory: route({
    method: 'GET',
    path: '/ops/communications/:id/history',
    owner: 'comms-service',
    roles: daily,
    summary: 'What was done with a communication, and what became of its sends, newest first',
    params: ofRecord,
    query: communication.historyQuery,
    success: { 200: communication.historyPage },
  }),
  showCommunication: route({
    method: 'GET',
    path: '/ops/communications/:id/html',
    owner: 'comms-service',
    roles: daily,
    summary: 'The HTML version of an e-mail, made safe: no scripts, nothing from elsewhere',
    params: ofRecord,
    query: none,
    success: { 200: z.string() },
    mediaType: 'text/html',
  }),
  uploadAttachment: uploadRoute({
    method: 'POST',
    path: '/ops/customers/:id/attachments',
    owner: 'comms-service',
    roles: [...daily, 'automation'],
    summary: 'Upload a file, to be sent with the next communication that names it',
    params: ofCustomer,
    query: communication.uploadQuery,
    upload: { mostBytes: communication.mostAttachmentBytes },
    success: { 201: communication.attachment },
  }),
  getAttachment: route({
    method: 'GET',
    path: '/ops/attachments/:id',
    owner: 'comms-service',
    roles: daily,
    summary: 'A file that came or went with a communication',
    params: ofRecord,
    query: none,
    success: { 200: z.string() },
    mediaType: '*/*',
  }),
  retryAttachment: route({
    method: 'POST',
    path: '/ops/attachments/:id/retry',
    owner: 'comms-service',
    roles: daily,
    summary: 'Fetch a file again whose fetching failed',
    params: ofRecord,
    query: none,
    success: { 200: communication.attachment },
  }),
  listUnmatched: route({
    method: 'GET',
    path: '/ops/unmatched',
    owner: 'comms-service',
    roles: daily,
    summary: 'Inbound messages of unknown or ambiguous senders, newest first',
    params: none,
    query: unmatched.unmatchedQuery,
    success: { 200: unmatched.unmatchedPage },
  }),
  linkUnmatched: route({
    method: 'POST',
    path: '/ops/unmatched/:id/link',
    owner: 'comms-service',
    roles: daily,
    summary: "Say whose message it is; the sender's other waiting ones go with it",
    params: ofRecord,
    query: none,
    body: unmatched.linkUnmatched,
    success: { 200: unmatched.linkResult },
  }),
  unlinkUnmatched: route({
    method: 'POST',
    path: '/ops/unmatched/:id/unlink',
    owner: 'comms-service',
    roles: daily,
    summary: 'Take a link back, with all that went with it',
    params: ofRecord,
    query: none,
    success: { 200: unmatched.linkResult },
  }),
  getRetention: route({
    method: 'GET',
    path: '/ops/retention',
    owner: 'comms-service',
    roles: ['admin'],
    summary: 'How long everything is kept',
    params: none,
    query: none,
    success: { 200: retention.retentionPolicy },
    etag: true,
  }),
  putRetention: route({
    method: 'PUT',
    path: '/ops/retention',
    owner: 'comms-service',
    roles: ['admin'],
    summary: 'Change how long things are kept',
    params: none,
    query: none,
    body: retention.putRetention,
    success: { 200: retention.retentionPolicy },
    etag: true,
  }),
  runRetention: route({
    method: 'POST',
    path: '/ops/retention/runs',
    owner: 'comms-service',
    roles: ['admin'],
    summary: 'Remove what is past its time, everywhere; or count it, with `dry_run`',
    params: none,
    query: retention.runRetentionQuery,
    success: { 200: retention.retentionRun },
  }),
  listRetentionRuns: route({
    method: 'GET',
    path: '/ops/retention/runs',
    owner: 'comms-service',
    roles: ['admin'],
    summary: 'Past runs, newest first',
    params: none,
    query: retention.retentionRunQuery,
    success: { 200: retention.retentionRunPage },
  }),
  listWebhookDeliveries: route({
    method: 'GET',
    path: '/ops/webhook-deliveries',
    owner: 'webhook-ingest',
    roles: ['admin'],
    summary: 'What providers posted, and what was taken from it, newest first',
    params: none,
    query: webhook.webhookDeliveryQuery,
    success: { 200: webhook.webhookDeliveryPage },
  }),
  getWebhookDelivery: route({
    method: 'GET',
    path: '/ops/webhook-deliveries/:id',
    owner: 'webhook-ingest',
    roles: ['admin'],
    summary: 'One delivery with the items found in it',
    params: ofRecord,
    query: none,
    success: { 200: webhook.webhookDeliveryDetail },
  }),
  reprocessWebhookDelivery: route({
    method: 'POST',
    path: '/ops/webhook-deliveries/:id/reprocess',
    owner: 'webhook-ingest',
    roles: ['admin'],
    summary: 'Read a kept payload again; what was taken from it before is not taken twice',
    params: ofRecord,
    query: none,
    success: { 200: webhook.webhookDeliveryDetail },
  }),
  listTimeline: route({
    method: 'GET',
    path: '/ops/customers/:id/timeline',
    owner: 'comms-service',
    roles: daily,
    summary: "The customer's timeline events, newest first",
    params: ofCustomer,
    query: timeline.timelineQuery,
    success: { 200: timeline.timelinePage },
  }),
  listDeadLetters: route({
    method: 'GET',
    path: '/ops/services/:name/dead-letters',
    owner: 'named',
    roles: ['admin'],
    summary: 'Messages a consumer of this service gave up on, newest first',
    params: ofService,
    query: deadLetter.deadLetterQuery,
    success: { 200: deadLetter.deadLetterPage },
  }),
  replayDeadLetter: route({
    method: 'POST',
    path: '/ops/services/:name/dead-letters/:id/replay',
    owner: 'named',
    roles: ['admin'],
    summary: 'Give a dead letter to its consumer once more',
    params: ofService.extend({ id: recordId }),
    query: none,
    success: { 202: deadLetter.deadLetter },
  }),
  getMe: route({
    method: 'GET',
    path: '/ops/me',
    owner: 'gateway',
    roles: [...daily, 'automation', 'scheduler', 'customer'],
    summary: 'Who am I',
    params: none,
    query: none,
    success: { 200: me },
  }),
  stream: route({
    method: 'GET',
    path: '/ops/stream',
    owner: 'gateway',
    roles: daily,
    summary: 'Live changes as server-sent events; after a `reset` fetch again what is shown',
    params: none,
    query: none,
    success: { 200: z.string() },
    mediaType: 'text/event-stream',
  }),
} satisfies Record<string, RouteSpec>;

export type RouteName = keyof typeof routes;
