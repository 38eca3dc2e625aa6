import { randomBytes } from 'node:crypto';
import { prepareDatabase } from '@ops/deployment/prepare-database';
import { createLogger } from '@ops/service-kit/logger';
import { provision } from '@ops/service-kit/provision';
import { createDatabase, type TestDatabase } from '@ops/service-kit/test/database';

export type { DatabaseOwner, TestDatabase } from '@ops/service-kit/test/database';

/** A database of the test file's own as the services find it when they have run before: with all their tables, empty. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase('services', layOut);

/** The same on a Postgres of the test's own, by an administrator's address: it goes with all that is in it. */
export async function prepareOwnDatabase(adminUrl: string): Promise<Pick<TestDatabase, 'urls' | 'drop'>> {
  const password = randomBytes(12).toString('hex');
  await layOut(adminUrl, password);
  const roles = ['comms', 'renewals', 'ingest', 'notifier', 'gateway'];
  const urls = await provision(adminUrl, Object.fromEntries(roles.map((role) => [role, password])));
  return { urls, drop: async () => undefined };
}

const layOut = (url: string, password: string): Promise<void> =>
  prepareDatabase(
    {
      DATABASE_URL: url,
      COMMS_DATABASE_PASSWORD: password,
      RENEWALS_DATABASE_PASSWORD: password,
      INGEST_DATABASE_PASSWORD: password,
      NOTIFIER_DATABASE_PASSWORD: password,
      GATEWAY_DATABASE_PASSWORD: password,
    },
    createLogger('template', 'silent'),
  );
