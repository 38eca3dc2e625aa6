import { loadConfig } from '@ops/service-kit/config';
import { runCommand } from '@ops/service-kit/lifecycle';
import { believed, trustAuthority } from '@ops/service-kit/tls';
import { prepareDatabase, prepareDatabaseConfig } from './prepare-database.ts';

/** What a deployment runs before the services of a new version. */
await runCommand('migrate', async (logger) => {
  const config = loadConfig(prepareDatabaseConfig);
  trustAuthority(config);
  await believed('DATABASE_URL', prepareDatabase(config, logger));
});
