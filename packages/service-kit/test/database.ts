import type { ProcessName } from '@ops/contracts/routes';
import { type CopiedDatabase, copyOf } from '@ops/test-kit/database';
import { migrateSchema } from '../src/database/migrate-schema.ts';
import { admission, provision, schemaOf } from '../src/database/provision.ts';
import { createLogger } from '../src/observing/logger.ts';

type DatabaseUrls = Awaited<ReturnType<typeof provision>>;
export type DatabaseOwner = keyof DatabaseUrls;

export interface TestDatabase extends CopiedDatabase {
  /** As the role of one schema, as its service would connect. */
  urls: DatabaseUrls;
}

/** As `npm start` lays it out, without any service's tables yet. */
export const createProvisionedDatabase = (): Promise<TestDatabase> => createDatabase('provisioned', provisioned);

/** As this process finds it when it has run before: with its tables, empty. */
export const createServiceDatabase = (service: ProcessName, migrations: readonly URL[]): Promise<TestDatabase> =>
  createDatabase(schemaOf[service], async (url, password) => {
    const urls = await provisioned(url, password);
    await migrateSchema(service, urls[schemaOf[service]], migrations, createLogger('template', 'silent'));
  });

const provisioned = (url: string, password: string) =>
  provision(url, { comms: password, renewals: password, ingest: password, notifier: password, gateway: password });

/** Provisioned, and whatever else this lays out. */
export async function createDatabase(
  name: string,
  layOut: (url: string, password: string) => Promise<unknown>,
): Promise<TestDatabase> {
  const database = await copyOf({ name, layOut, admission });
  const { urlOf } = database;
  const urls = {
    comms: urlOf('comms'),
    renewals: urlOf('renewals'),
    ingest: urlOf('ingest'),
    notifier: urlOf('notifier'),
    gateway: urlOf('gateway'),
  };
  return { ...database, urls };
}
