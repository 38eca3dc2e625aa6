import type { Actor } from '@ops/contracts/roles';
import { loadConfig } from '@ops/service-kit/config';
import {
  createTestSigners,
  keysOf,
  reachService,
  type ServiceUnderTest,
} from '@ops/service-kit/test/service-under-test';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';
import { createTestDatabase } from './database.ts';

export { admin, automation, staff } from '@ops/service-kit/test/service-under-test';
export const customer = (id: string): Actor => ({ sub: id, role: 'customer' });

export type TestService = ServiceUnderTest;

const name = 'comms-service';

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(settings: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const signers = createTestSigners();
  const env = { DATABASE_URL: database.urls.comms, LOG_LEVEL: 'silent', ...keysOf(signers, name), ...nowhere };
  const running = await compose(loadConfig(config, { ...env, ...settings }));
  const service = await reachService(name, running.port, database, signers);
  await service.db('agents').insert({ id: 'agent-1', name: 'agent-1', version: 1 });
  return {
    ...service,
    close: async () => {
      await service.close();
      await running.stop();
      await database.drop();
    },
  };
}

/** A test that has something answer there says so in its settings. */
const nowhere = Object.fromEntries(
  ['COMMS_SERVICE_URL', 'RENEWALS_SERVICE_URL', 'WEBHOOK_INGEST_URL', 'NOTIFIER_URL'].map((setting) => [
    setting,
    'http://127.0.0.1:9',
  ]),
);
