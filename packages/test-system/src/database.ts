import { prepareDatabase } from '@ops/deployment/prepare-database';
import { createLogger } from '@ops/service-kit/logger';
import { createDatabase, type TestDatabase } from '@ops/service-kit/test/database';

export type { DatabaseOwner, TestDatabase } from '@ops/service-kit/test/database';

/** A database of the test file's own as the services find it when they have run before: with all their tables, empty. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase('services', (url, password) =>
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
    ),
  );
