import { address } from '@ops/service-kit/service-addresses';
import { z } from 'zod';

/** Two values, comma-separated, while one replaces the other: both are accepted. */
const rotated = z
  .string()
  .transform((value) => value.split(',').map((secret) => secret.trim()))
  .refine((list) => list.length <= 2 && list.every((secret) => secret.length > 0), {
    error: 'a secret, or two separated by a comma while it is being replaced',
  })
  .optional();

/** What we show to others: the first of the two. */
const current = rotated.transform((secrets) => secrets?.[0]);

/**
 * Settings of the outside world, each described once; a service takes those it needs. All are optional: a channel nobody
 * configured refuses by that reason instead of keeping the process from starting.
 */
export const providerSettings = z.object({
  MESSAGING_APP_BASE_URL: address.optional(),
  MESSAGING_APP_PHONE_NUMBER_ID: z.string().optional(),
  MESSAGING_APP_ACCESS_TOKEN: current,
  MESSAGING_APP_APP_SECRET: rotated,
  MESSAGING_APP_VERIFY_TOKEN: rotated,
  SMS_BASE_URL: address.optional(),
  SMS_ACCOUNT_SID: z.string().optional(),
  SMS_AUTH_TOKEN: rotated,
  SMS_FROM: z.string().optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'an smtp:// or smtps:// address' }).optional(),
  EMAIL_FROM: z.string().optional(),
  EMAIL_POSTMARK_BASIC_AUTH: rotated,
  EMAIL_MAILGUN_SIGNING_KEY: rotated,
  EMAIL_SENDGRID_BASIC_AUTH: rotated,
  EMAIL_MIME_BASIC_AUTH: rotated,
  /** What our mail server calls itself in the `Authentication-Results` header it puts above a mail; empty: it puts none. */
  EMAIL_AUTHSERV_ID: z.string().optional(),
  /** What providers call: where the gateway is seen from outside. */
  PUBLIC_URL: address.optional(),
});

/** Our stand-in for all providers says so in its answers, as their server. */
export const simulatedMark = 'provider-sim';
