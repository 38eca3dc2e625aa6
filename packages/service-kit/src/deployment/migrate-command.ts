import { loadConfig } from '../process/config.ts';
import { runCommand } from '../process/lifecycle.ts';
import { prepareDatabase, prepareDatabaseConfig } from './prepare-database.ts';

/** What a deployment runs before the services of a new version. */
await runCommand('migrate', async (logger) => prepareDatabase(loadConfig(prepareDatabaseConfig), logger));
