import { baseConfig } from '@ops/service-kit/config';
import { providerSettings } from '@ops/service-kit/provider-settings';
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
    PUBLIC_URL: true,
  }).shape,
  /** How old a signed request of Mailgun's may be: older ones are taken for replays. */
  EMAIL_MAILGUN_TOLERANCE_SECONDS: z.coerce.number('a number of seconds').int().min(1).default(300),
});
export type Config = z.infer<typeof config>;
