import { baseConfig } from '@ops/service-kit/config';
import { serviceAddresses } from '@ops/service-kit/provider-settings';
import { cronSetting, timeZoneSetting } from '@ops/service-kit/scheduler';
import type { z } from 'zod';

export const config = baseConfig.required({ INTERNAL_PRIVATE_KEY: true }).extend({
  ...serviceAddresses.pick({ COMMS_SERVICE_URL: true }).shape,
  /** Whose calendar says what today is. */
  OPS_TIME_ZONE: timeZoneSetting,
  /** When the nightly refresh runs; off where something else calls for it. */
  REFRESH_CRON: cronSetting('off'),
});
export type Config = z.infer<typeof config>;
