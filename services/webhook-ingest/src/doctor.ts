import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { migrations } from './migrations.ts';
import { webhookChecks } from './webhook-checks.ts';

await runServiceDoctor({
  service: 'webhook-ingest',
  schema: config,
  migrations,
  checks: webhookChecks,
});
