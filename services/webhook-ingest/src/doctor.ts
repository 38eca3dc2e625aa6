import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { webhookChecks } from './webhook-checks.ts';

await runServiceDoctor({
  service: 'webhook-ingest',
  schema: config,
  migrations: new URL('../migrations/', import.meta.url),
  checks: webhookChecks,
});
