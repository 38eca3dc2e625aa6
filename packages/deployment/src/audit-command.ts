import { loadConfig } from '@ops/service-kit/config';
import { schemaOf } from '@ops/service-kit/provision';
import { trustAuthority } from '@ops/service-kit/tls';
import { prepareDatabaseConfig } from './prepare-database.ts';
import { exitAsFound, verifyAudit } from './verify-audit.ts';

/** Whether what was written of who changed what is as it was written, as an administrator of the database. */
const config = loadConfig(prepareDatabaseConfig.pick({ DATABASE_URL: true, TLS_CA: true }));
trustAuthority(config);
const audited = Object.values(schemaOf).map((schema) => ({ schema, url: config.DATABASE_URL }));
await exitAsFound(verifyAudit(process.argv.slice(2), audited, console.log));
