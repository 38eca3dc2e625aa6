import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import { migrations } from '../src/migrations.ts';

export type { TestDatabase };

/** As this service finds it when it has run before: with its tables, empty. */
export const createTestDatabase = (): Promise<TestDatabase> => createServiceDatabase('notifier', migrations);
