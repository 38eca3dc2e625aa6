import { loadConfig } from '@ops/service-kit/config';
import { runCommand } from '@ops/service-kit/lifecycle';
import { prepareDatabase, prepareDatabaseConfig } from './prepare-database.ts';

/** What a deployment runs before the services of a new version. */
await runCommand('migrate', async (logger) => prepareDatabase(loadConfig(prepareDatabaseConfig), logger));
