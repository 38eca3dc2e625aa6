import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import { config } from './config.ts';
import { lastRefreshLine } from './refresh/last-refresh-check.ts';

await runServiceDoctor({
  service: 'renewals-service',
  schema: config,
  migrations: new URL('../migrations/', import.meta.url),
  tables: async (client) => [await lastRefreshLine(client)],
});
