import { messagingAppCheck, smsCheck } from '@ops/providers/provider-checks';
import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { migrations } from './migrations.ts';
import { smtpCheck } from './senders/smtp/smtp-check.ts';

await runServiceDoctor({
  service: 'notifier',
  schema: config,
  migrations,
  checks: (settings, timeoutMs) => [
    messagingAppCheck(settings, timeoutMs),
    smsCheck(settings, timeoutMs),
    smtpCheck(settings, timeoutMs),
  ],
});
