import { exitAsFound, verifyAudit } from '@ops/deployment/verify-audit';
import { schemaOf } from '@ops/service-kit/provision';
import { dataDirectory } from './settings.ts';
import { readRunFile } from './token.ts';

/** Whether what the running `npm start` wrote of who changed what is as it was written. */
async function verified(): Promise<boolean> {
  const running = await readRunFile(dataDirectory());
  const audited = Object.entries(schemaOf).flatMap(([service, schema]) => {
    const url = running?.settings[service]?.DATABASE_URL;
    return url ? [{ schema, url }] : [];
  });
  if (audited.length === 0) throw new Error(`Nothing runs on ${dataDirectory()}: npm start, then once more.`);
  return verifyAudit(process.argv.slice(3), audited, console.log);
}

await exitAsFound(verified());
