import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Db, execute, openDatabase, rows } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { migrations } from '../src/migrations.ts';
import { createSharedCounts } from '../src/proxy/shared-counts.ts';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.down());

async function withGateway(env: NodeJS.ProcessEnv, work: () => Promise<void>) {
  gateway = await startTestGateway({ issuer: issuer.url, env });
  await work().finally(() => gateway.stop());
}

const as = async (sub: string, role: string) => bearer(await issuer.token({ sub, roles: [role] }));
const statuses = async (times: number, path: string, headers: Record<string, string> = {}) => {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await ask(gateway.port, path, { headers })).status);
  return all;
};

test('a person over the limit gets 429 with Retry-After; another person does not', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '3' }, async () => {
    const one = await as('one', 'staff');
    const first = await ask(gateway.port, '/ops/customers', { headers: one });
    expect(first.headers['ratelimit-policy']).toMatch(/^"person"; q=3; w=60/);
    expect(first.headers.ratelimit).toMatch(/^"person"; r=2; t=\d+/);
    expect(await statuses(2, '/ops/customers', one)).toEqual([200, 200]);
    const over = await ask(gateway.port, '/ops/customers', { headers: one });
    expect(over).toMatchObject({ status: 429, json: { status: 429, code: 'too_many_requests' } });
    expect(over.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(over.headers.ratelimit).toMatch(/r=0/);
    expect(gateway.services['comms-service'].seen).toHaveLength(3);
    expect(await statuses(1, '/ops/customers', await as('two', 'staff'))).toEqual([200]);
  }));

test('a person is counted whatever token they use', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () => {
    const three = [await as('one', 'staff'), await as('one', 'staff'), await as('one', 'staff')];
    const all = [];
    for (const headers of three) all.push(...(await statuses(1, '/ops/me', headers)));
    expect(all).toEqual([200, 200, 429]);
  }));

test('a program is counted by its client, whatever names its tokens bear, and has a limit of its own', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_AUTOMATION_PER_MINUTE: '4' }, async () => {
    const of = async (sub: string, azp?: string) => bearer(await issuer.token({ sub, azp, roles: ['automation'] }));
    const told = await ask(gateway.port, '/ops/customers', { headers: await of('crm', 'crm') });
    expect(told.headers['ratelimit-policy']).toMatch(/^"person"; q=4; w=60/);
    expect(await statuses(3, '/ops/customers', await of('crm', 'crm'))).toEqual([200, 200, 200]);
    expect(await statuses(1, '/ops/customers', await of('another-name', 'crm'))).toEqual([429]);
    expect(await statuses(5, '/ops/customers', await of('website'))).toEqual([200, 200, 200, 200, 429]);
  }));

test('webhooks are not counted', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () => {
    expect(new Set(await statuses(6, '/webhooks/sms'))).toEqual(new Set([200]));
  }));

test('an address that keeps sending bad tokens gets 429, and a good token from it still passes', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '4' }, async () => {
    const bad = bearer('bad');
    expect(await statuses(6, '/ops/me', bad)).toEqual([401, 401, 401, 401, 429, 429]);
    const refused = await ask(gateway.port, '/ops/me', { headers: bad });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await statuses(1, '/ops/me')).toEqual([429]);
    expect(await statuses(1, '/ops/me', await as('one', 'staff'))).toEqual([200]);
  }));

test('pages and sign-in are limited by address; probes are not, nor are the parts a page is made of', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '3' }, async () => {
    expect(await statuses(5, '/assets/index-1.js')).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(4, '/auth/callback')).toEqual([400, 400, 400, 429]);
    expect(await statuses(1, '/docs')).toEqual([429]);
    expect(await statuses(1, '/assets/index-1.js')).toEqual([200]);
    expect(await statuses(5, '/healthz')).toEqual([200, 200, 200, 200, 200]);
  }));

test('X-Forwarded-For is believed only of as many proxies as we were told of', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address, ...bearer('bad') });
  const rounds = async () => [
    ...(await statuses(2, '/ops/me', from('198.51.100.1'))),
    ...(await statuses(2, '/ops/me', from('198.51.100.2'))),
    ...(await statuses(1, '/ops/me', from('198.51.100.99, 198.51.100.1'))),
  ];
  await withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () =>
    expect(await rounds()).toEqual([401, 401, 429, 429, 429]),
  );
  await withGateway({ RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: '1' }, async () =>
    expect(await rounds()).toEqual([401, 401, 401, 401, 429]),
  );
});

test('several gateways count one person together', async () => {
  const database = await createServiceDatabase('gateway', migrations);
  const same = { issuer: issuer.url, database, env: { RATE_LIMIT_PER_MINUTE: '200' } };
  const [here, there] = [await startTestGateway(same), await startTestGateway(same)];
  const one = await as('one', 'staff');
  const leftAt = async ({ port }: TestGateway) => {
    const { headers } = await ask(port, '/ops/me', { headers: one });
    return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  };
  for (let asked = 1; asked <= 100; asked++) expect(await leftAt(here)).toBe(200 - asked);
  let asked = 0;
  const askThere = async () => {
    asked += 1;
    expect(await leftAt(there)).toBe(200 - 100 - asked);
  };
  await eventually(askThere, { everyMs: 50 });
  await Promise.all([here.stop(), there.stop()]);
  await database.drop();
});

describe('counts that gateways share', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await createServiceDatabase('gateway', migrations);
    db = openDatabase(database.urls.gateway, { applicationName: 'test' });
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });
  const silent = createLogger('gateway', 'silent');
  const counting = (most = 1, at = db) => {
    const counts = createSharedCounts({ db: at, logger: silent, secret: 'of all gateways' });
    const store = counts.of('person', most);
    return { ...counts, hit: async (key: string) => (await store.increment(key)).totalHits };
  };

  test('nothing is lost or counted twice, whatever happens between two settlings', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom('hit', 'hit', 'settle')), { maxLength: 40 }),
        async (steps) => {
          const key = uuidv7();
          const gateways = [counting(), counting(), counting()];
          let hits = 0;
          const running: Promise<void>[] = [];
          for (const [at, what] of steps) {
            const gateway = gateways[at] as (typeof gateways)[0];
            if (what === 'settle') running.push(gateway.settle());
            else hits += Math.sign(await gateway.hit(key));
          }
          await Promise.all(running);
          for (const gateway of gateways) await gateway.settle();
          for (const gateway of gateways) {
            await gateway.hit(key);
            hits += 1;
            await gateway.settle();
          }
          expect(await gateways[2]?.hit(key)).toBe(hits + 1);
        },
      ),
      { numRuns: 30 },
    ));

  test('a minute that is over counts for nobody', async () => {
    const [here, there] = [counting(), counting()];
    await here.hit('late');
    await here.settle();
    await execute(db, `UPDATE limits SET ends_at = now() - interval '1 second'`);
    await there.hit('late');
    await there.settle();
    expect(await there.hit('late')).toBe(2);
  });

  test('a flood from ever another address is not told of, and of what comes near a limit a thousand at a time; no name is kept', async () => {
    await execute(db, 'DELETE FROM limits');
    const counts = counting(20);
    const kept = () => rows<{ key: string; hits: number }>(db, 'SELECT key, hits FROM limits ORDER BY hits DESC');
    for (let i = 0; i < 3_000; i++) await counts.hit(`2001:db8:${i}::/56`);
    await counts.settle();
    expect(await kept()).toEqual([]);
    for (let i = 0; i < 1_500; i++) await counts.hit(`2001:db8:${i}::/56`);
    await counts.settle();
    expect(await kept()).toHaveLength(1_000);
    await counts.settle();
    expect(await kept()).toHaveLength(1_500);
    expect(JSON.stringify(await kept())).not.toContain('2001');
  });

  test('while the database fails each counts for itself, and tells all of it later', async () => {
    const [here, there] = [counting(), counting()];
    const owner = openDatabase(database.adminUrl, { applicationName: 'test' });
    const rename = (from: string, to: string) => execute(owner, `ALTER TABLE gateway.${from} RENAME TO ${to}`);
    await rename('limits', 'limits_away');
    expect([await here.hit('lone'), await here.hit('lone')]).toEqual([1, 2]);
    await expect(here.settle()).rejects.toThrow();
    expect(await here.hit('lone')).toBe(3);
    await rename('limits_away', 'limits');
    await owner.destroy();
    await here.settle();
    await there.hit('lone');
    await there.settle();
    expect(await there.hit('lone')).toBe(5);
  });
});
