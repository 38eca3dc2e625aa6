import { messagingAppCheck, smsCheck } from '@ops/providers/provider-checks';
import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { migrations } from './migrations.ts';

await runServiceDoctor({
  service: 'comms-service',
  schema: config,
  migrations,
  // Files of messages are fetched from their provider.
  checks: (settings, timeoutMs) => [
    messagingAppCheck(settings, timeoutMs, false),
    smsCheck(settings, timeoutMs, false),
  ],
});
