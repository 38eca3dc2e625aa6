import { providerSettings } from '@ops/providers/provider-settings';
import { baseConfig } from '@ops/service-kit/config';
import { z } from 'zod';

export const config = baseConfig.extend({
  ...providerSettings.pick({
    MESSAGING_APP_APP_SECRET: true,
    MESSAGING_APP_VERIFY_TOKEN: true,
    SMS_AUTH_TOKEN: true,
    EMAIL_POSTMARK_BASIC_AUTH: true,
    EMAIL_MAILGUN_SIGNING_KEY: true,
    EMAIL_SENDGRID_BASIC_AUTH: true,
    EMAIL_MIME_BASIC_AUTH: true,
    EMAIL_AUTHSERV_ID: true,
    PUBLIC_URL: true,
  }).shape,
  /** How old a signed request of Mailgun's may be: older ones are taken for replays. */
  EMAIL_MAILGUN_TOLERANCE_SECONDS: z.coerce.number('a number of seconds').int().min(1).default(300),
});
export type Config = z.infer<typeof config>;
