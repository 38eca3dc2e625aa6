import { messagingAppCheck, smsCheck } from '@ops/service-kit/doctor/providers';
import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';

await runServiceDoctor({
  service: 'comms-service',
  schema: config,
  migrations: new URL('../migrations/', import.meta.url),
  // Files of messages are fetched from their provider.
  checks: (settings, timeoutMs) => [
    messagingAppCheck(settings, timeoutMs, false),
    smsCheck(settings, timeoutMs, false),
  ],
});
