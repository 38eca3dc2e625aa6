import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { migrations } from './migrations.ts';
import { lastRefreshLine } from './refresh/last-refresh-check.ts';

await runServiceDoctor({
  service: 'renewals-service',
  schema: config,
  migrations,
  tables: async (client) => [await lastRefreshLine(client)],
});
