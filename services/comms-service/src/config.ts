import { providerSettings } from '@ops/providers/provider-settings';
import { baseConfig } from '@ops/service-kit/config';
import { cronSetting, timeZoneSetting } from '@ops/service-kit/scheduler';
import { serviceAddresses } from '@ops/service-kit/service-addresses';
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';

const isRegion = (value: unknown) => typeof value === 'string' && isSupportedCountry(value);

const { MESSAGING_APP_BASE_URL, MESSAGING_APP_ACCESS_TOKEN, SMS_BASE_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN } =
  providerSettings.shape;

export const config = baseConfig.extend({
  ...serviceAddresses.shape,
  INTERNAL_PRIVATE_KEY: baseConfig.shape.INTERNAL_PRIVATE_KEY.unwrap(),
  /** Where phone numbers written without a country code belong; without it such a number is refused. */
  DEFAULT_PHONE_REGION: z.custom<CountryCode>(isRegion, 'a country in two capital letters, such as CH').optional(),
  AUTOMATED_SENDS_PER_CUSTOMER_PER_HOUR: z.coerce.number().int().min(1).default(20),
  // Files of messages are fetched from their provider.
  MESSAGING_APP_BASE_URL,
  MESSAGING_APP_ACCESS_TOKEN,
  SMS_BASE_URL,
  SMS_ACCOUNT_SID,
  SMS_AUTH_TOKEN,
  /** Where else than at their own address providers keep files, comma-separated. */
  MEDIA_HOSTS: z
    .string()
    .default('lookaside.fbsbx.com,mms.twiliocdn.com,media.twiliocdn.com')
    .transform((value) => value.split(',').map((host) => host.trim().toLowerCase())),
  ATTACHMENT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(40 * 1024 * 1024),
  UNSENT_FILES_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(500 * 1024 * 1024),
  /** When what is past its time is removed; `off` where something else calls for the runs. */
  RETENTION_CRON: cronSetting('30 3 * * *'),
  /** `off` for a firm with one admin: what cannot be taken back then waits its day, and for nobody. */
  OPS_SECOND_PERSON: z
    .enum(['on', 'off'])
    .default('on')
    .transform((value) => value === 'on'),
  /** The firm's time of day. */
  OPS_TIME_ZONE: timeZoneSetting,
});
export type Config = z.infer<typeof config>;
