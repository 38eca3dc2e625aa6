import type { CustomerCard, RenewalStanding } from '@ops/contracts/internal-routes';
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
import { answer, type Behaviour, startOutside, takesAll } from './outside.ts';
import { testSettings } from './settings.ts';

export { admin, staff } from '@ops/service-kit/test/service-under-test';

export interface TestService extends ServiceUnderTest {
  /** comms-service is away, or knows these and nobody else. */
  customers(cards: readonly CustomerCard[] | 'away'): void;
  /** renewals-service is away, or knows these by their ids and no others; at first, none. */
  renewals(standings: Readonly<Record<string, RenewalStanding>> | 'away'): void;
}

const name = 'notifier';

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(settings: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const [comms, twilio] = [await startOutside(answer(200, { data: [] })), await startOutside(takesAll())];
  const renewals = await startOutside(standingsOf({}));
  const signers = createTestSigners();
  const own = { ...testSettings(database, comms, twilio), ...keysOf(signers, name) };
  const env = { ...own, LOG_LEVEL: 'silent', RENEWALS_SERVICE_URL: renewals.url, ...settings };
  const running = await compose(loadConfig(config, env));
  const service = await reachService(name, running.port, database, signers);
  return {
    ...service,
    customers: (cards) => comms.behave(cards === 'away' ? answer(503, {}) : answer(200, { data: cards })),
    renewals: (standings) => renewals.behave(standings === 'away' ? answer(503, {}) : standingsOf(standings)),
    close: async () => {
      await service.close();
      await running.stop();
      await Promise.all([comms.close(), twilio.close(), renewals.close()]);
      await database.drop();
    },
  };
}

const standingsOf =
  (standings: Readonly<Record<string, RenewalStanding>>): Behaviour =>
  (taken, res) => {
    const standing = standings[taken.path.split('/')[3] ?? ''];
    return answer(standing ? 200 : 404, standing ?? {})(taken, res);
  };
