import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { instant, recordId } from '../text.ts';

export const inboundProviders = ['cloud-api', 'twilio', 'postmark', 'mailgun', 'sendgrid', 'mime'] as const;

/**
 * `processed`: everything in it was taken. `partly`: some of it was not understood. `not_understood`: nothing was.
 * `duplicate`: all of it had been taken before.
 */
const outcome = z.enum(['processed', 'partly', 'not_understood', 'duplicate']);

export const webhookItem = z.object({
  id: recordId,
  kind: z.string(),
  external_id: z.string(),
  outcome: z.enum(['published', 'not_understood']),
  reason: z.string().nullable(),
});

/** One request of a provider whose signature was good, as it was kept. */
export const webhookDelivery = z
  .object({
    id: recordId,
    provider: z.enum(inboundProviders),
    outcome,
    reason: z.string().nullable().meta({ description: 'Why it was not understood' }),
    items: z.int().min(0).meta({ description: 'Messages, reactions, receipts taken from it' }),
    repeats: z.int().min(0).meta({ description: 'How often the provider sent the same bytes again' }),
    size: z.int().min(0),
    received_at: instant,
    processed_at: instant,
    redacted: z.boolean().meta({ description: 'The payload is gone; it cannot be processed again' }),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const webhookDeliveryDetail = webhookDelivery
  .extend({ found: z.array(webhookItem) })
  .meta({ id: 'WebhookDeliveryDetail' });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetail>;

export const webhookDeliveryPage = pageOf(webhookDelivery).meta({ id: 'WebhookDeliveryPage' });
export const webhookDeliveryQuery = z.strictObject({
  provider: z.enum(inboundProviders).optional(),
  outcome: outcome.optional(),
  ...pageQuery,
});
export type WebhookDeliveryQuery = z.infer<typeof webhookDeliveryQuery>;
