import { randomBytes } from 'node:crypto';
import { prepareDatabase } from '@ops/deployment/prepare-database';
import { createLogger } from '@ops/service-kit/logger';
import { provision } from '@ops/service-kit/provision';
import { createDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import { atPort } from '@ops/test-kit/postgres-node';

export type { DatabaseOwner, TestDatabase } from '@ops/service-kit/test/database';

/** A database of the test file's own as the services find it when they have run before: with all their tables, empty. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase('services', layOut);

/** The same on a Postgres of the test's own, by an administrator's address: it goes with all that is in it. Others come by `port`. */
export async function prepareOwnDatabase(
  adminUrl: string,
  port = Number(new URL(adminUrl).port),
): Promise<Pick<TestDatabase, 'urls' | 'drop'>> {
  const password = randomBytes(12).toString('hex');
  await layOut(adminUrl, password);
  const roles = ['comms', 'renewals', 'ingest', 'notifier', 'gateway'];
  const direct = await provision(adminUrl, Object.fromEntries(roles.map((role) => [role, password])));
  const urls = Object.fromEntries(
    Object.entries(direct).map(([role, url]) => [role, atPort(url, port)]),
  ) as typeof direct;
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
