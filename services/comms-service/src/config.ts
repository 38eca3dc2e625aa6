import { baseConfig } from '@ops/service-kit/config';
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';

const isRegion = (value: unknown) => typeof value === 'string' && isSupportedCountry(value);

export const config = baseConfig.extend({
  /** Where phone numbers written without a country code belong; without it such a number is refused. */
  DEFAULT_PHONE_REGION: z.custom<CountryCode>(isRegion, 'a country in two capital letters, such as CH').optional(),
});
export type Config = z.infer<typeof config>;
