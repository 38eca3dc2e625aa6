import * as webhook from '../resources/webhook-delivery.ts';
import { none, ofRecord, type RouteSpec, route } from '../route-spec.ts';

export const ingestRoutes = {
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
    recentSignIn: 'always',
    params: ofRecord,
    query: none,
    success: { 200: webhook.webhookDeliveryDetail },
  }),
} satisfies Record<string, RouteSpec>;
