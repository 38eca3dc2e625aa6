import { address } from '@ops/service-kit/service-addresses';
import { z } from 'zod';

/** Nobody is kept from guessing, since a provider may call from where others guess: what is guessed has to be long. */
const leastCharacters = 16;

/** Two values, comma-separated, while one replaces the other: both are accepted. */
const rotatedBy = (what: string, isGood: (secret: string) => boolean) =>
  z
    .string()
    .transform((value) => value.split(',').map((secret) => secret.trim()))
    .refine((list) => list.length <= 2 && list.every(isGood), {
      error: `${what}, or two separated by a comma while it is being replaced`,
    })
    .optional();

const rotated = rotatedBy('a secret', (secret) => secret.length > 0);

/** What whoever knows it could write to us in anybody's name. */
const proof = rotatedBy(
  `a secret of at least ${leastCharacters} characters`,
  (secret) => secret.length >= leastCharacters,
);

const nameAndPassword = rotatedBy(
  `name:password, with a password of at least ${leastCharacters} characters`,
  (pair) => /^[^:]+:/.test(pair) && pair.length - pair.indexOf(':') > leastCharacters,
);

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
  MESSAGING_APP_APP_SECRET: proof,
  MESSAGING_APP_VERIFY_TOKEN: rotated,
  SMS_BASE_URL: address.optional(),
  SMS_ACCOUNT_SID: z.string().optional(),
  SMS_AUTH_TOKEN: proof,
  SMS_FROM: z.string().optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'an smtp:// or smtps:// address' }).optional(),
  EMAIL_FROM: z.string().optional(),
  EMAIL_POSTMARK_BASIC_AUTH: nameAndPassword,
  EMAIL_MAILGUN_SIGNING_KEY: proof,
  EMAIL_SENDGRID_BASIC_AUTH: nameAndPassword,
  EMAIL_MIME_BASIC_AUTH: nameAndPassword,
  /** What our mail server calls itself in the `Authentication-Results` header it puts above a mail; empty: it puts none. */
  EMAIL_AUTHSERV_ID: z.string().optional(),
  /** What providers call: where the gateway is seen from outside. */
  PUBLIC_URL: address.optional(),
});

/** Our stand-in for all providers says so in its answers, as their server. */
export const simulatedMark = 'provider-sim';
