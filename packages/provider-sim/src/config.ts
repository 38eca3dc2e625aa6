import { providerSettings } from '@ops/providers/provider-settings';
import { z } from 'zod';

/** The firm's accounts as both sides know them, and where the firm is. */
const accounts = providerSettings
  .pick({
    MESSAGING_APP_PHONE_NUMBER_ID: true,
    MESSAGING_APP_ACCESS_TOKEN: true,
    MESSAGING_APP_APP_SECRET: true,
    SMS_ACCOUNT_SID: true,
    SMS_AUTH_TOKEN: true,
    SMS_FROM: true,
    EMAIL_FROM: true,
    EMAIL_MIME_BASIC_AUTH: true,
    PUBLIC_URL: true,
  })
  .required();

const port = z.coerce.number('a port').int().min(0).max(65_535).default(0);
const address = z.array(z.string()).default([]);

/** Somebody who is there from the start. */
const acquaintance = z.object({ name: z.string(), phones: address, emails: address });
export type Acquaintance = z.infer<typeof acquaintance>;

export const config = accounts.extend({
  PORT: port,
  SMTP_PORT: port,
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where the firm reaches us to fetch files, when that is not the address we listen on. */
  OWN_URL: z.url().optional(),
  /** Conversations are kept here. */
  DATA_DIR: z.string().min(1),
  PEOPLE: z
    .string()
    .default('[]')
    .transform((text) => z.array(acquaintance).parse(JSON.parse(text))),
  /** Approved templates, `name:language`, with commas between. */
  MESSAGING_APP_TEMPLATES: z
    .string()
    .default('')
    .transform((text) => text.split(',').map((one) => one.trim())),
});
export type Config = z.infer<typeof config>;
