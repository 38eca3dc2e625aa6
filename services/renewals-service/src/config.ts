import { baseConfig } from '@ops/service-kit/config';
import { cronSetting, timeZoneSetting } from '@ops/service-kit/scheduler';
import { serviceAddresses } from '@ops/service-kit/service-addresses';
import { z } from 'zod';

export const config = baseConfig.required({ INTERNAL_PRIVATE_KEY: true }).extend({
  ...serviceAddresses.pick({ COMMS_SERVICE_URL: true, NOTIFIER_URL: true }).shape,
  /** Whose calendar says what today is. */
  OPS_TIME_ZONE: timeZoneSetting,
  /** When the nightly refresh runs; off where something else calls for it. */
  REFRESH_CRON: cronSetting('off'),
  /** Renewals of one transaction of a refresh. */
  REFRESH_BATCH: z.coerce.number().int().min(1).default(1_000),
  /** How long the answer to a refresh may take, before it says that the run goes on; shorter than the gateway waits. */
  REFRESH_ANSWER_MS: z.coerce.number().int().min(1).default(25_000),
});
export type Config = z.infer<typeof config>;
