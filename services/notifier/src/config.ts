import { providerSettings } from '@ops/providers/provider-settings';
import { baseConfig } from '@ops/service-kit/config';
import { timeZoneSetting } from '@ops/service-kit/scheduler';
import { serviceAddresses } from '@ops/service-kit/service-addresses';
import { z } from 'zod';
import { parseTemplates } from './senders/cloud-api/template.rules.ts';
import { parseMailbox } from './senders/smtp/mail-writer.ts';

const positive = (expected: string, standard: number) => z.coerce.number(expected).positive(expected).default(standard);
const count = (standard: number) => positive('a whole number from 1', standard).pipe(z.int('a whole number from 1'));
const seconds = (standard: number) => positive('a number of seconds', standard);
const perSecond = (standard: number) => positive('messages a second', standard);

const secondsList = z
  .string()
  .regex(/^\d+(\.\d+)?(,\d+(\.\d+)?){0,19}$/, 'seconds, separated by commas')
  .transform((list) => list.split(',').map(Number));

/** Given by something that reads it, which answers undefined for what it cannot read. */
const readBy = <T>(read: (value: string) => T | undefined, expected: string) =>
  z.string().transform((value, ctx) => {
    const parsed = read(value);
    if (parsed !== undefined) return parsed;
    ctx.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });

export const config = baseConfig.required({ INTERNAL_PRIVATE_KEY: true }).extend({
  ...serviceAddresses.pick({ COMMS_SERVICE_URL: true, RENEWALS_SERVICE_URL: true }).shape,
  ...providerSettings.pick({
    MESSAGING_APP_BASE_URL: true,
    MESSAGING_APP_PHONE_NUMBER_ID: true,
    MESSAGING_APP_ACCESS_TOKEN: true,
    SMS_BASE_URL: true,
    SMS_ACCOUNT_SID: true,
    SMS_AUTH_TOKEN: true,
    SMS_FROM: true,
    SMTP_URL: true,
    PUBLIC_URL: true,
  }).shape,
  /** `Name <address>`, or the address alone. */
  EMAIL_FROM: readBy(parseMailbox, 'an e-mail address, with or without a name').optional(),
  /** Approved templates with one parameter, for writing to customers outside the 24 hours after they wrote. */
  MESSAGING_APP_TEMPLATES: readBy(parseTemplates, 'name:language, several separated by commas').default([]),
  /** The same for messages nobody wrote, such as reminders; `MESSAGING_APP_TEMPLATES`, unless given. */
  MESSAGING_APP_ALERT_TEMPLATES: readBy(parseTemplates, 'name:language, several separated by commas').default([]),
  /** Whose calendar says what today is, and when it is night for customers whose time zone nobody knows. */
  OPS_TIME_ZONE: timeZoneSetting,
  /** How long a provider may take to answer. */
  SENDING_TIMEOUT_SECONDS: seconds(15),
  /** How often, how long and with which pauses something is tried that the provider did not take. */
  SENDING_TRIES: count(6),
  SENDING_HOURS: positive('a number of hours', 12),
  SENDING_RETRY_SECONDS: secondsList.default([10, 60, 600, 3_600, 14_400]),
  /** Messages a second of each process: divide by the number of replicas. */
  SENDING_RATE_MESSAGING_APP: perSecond(40),
  SENDING_RATE_EMAIL: perSecond(20),
  SENDING_RATE_SMS: perSecond(10),
  SENDING_AT_ONCE: count(20),
  /** After so many failures in a row a provider is left alone for so long. */
  SENDING_BREAKER_FAILURES: count(5),
  SENDING_BREAKER_SECONDS: seconds(30),
});
export type Config = z.infer<typeof config>;
