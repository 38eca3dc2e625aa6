import { messagingAppCheck, smsCheck } from '@ops/service-kit/doctor/providers';
import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { smtpCheck } from './senders/smtp/smtp-check.ts';

await runServiceDoctor({
  service: 'notifier',
  schema: config,
  migrations: new URL('../migrations/', import.meta.url),
  checks: (settings, timeoutMs) => [
    messagingAppCheck(settings, timeoutMs),
    smsCheck(settings, timeoutMs),
    smtpCheck(settings, timeoutMs),
  ],
});
