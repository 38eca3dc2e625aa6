import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Bus } from '@ops/bus/port';
import { defineTopology } from '@ops/bus/topology';
import type { Envelope } from '@ops/contracts/envelope';
import { deadLetterPage } from '@ops/contracts/resources/dead-letter';
import { routes } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { readMetrics } from '@ops/test-kit/metrics';
import { keyPair } from '../test/app.ts';
import { createProvisionedDatabase, type TestDatabase } from '../test/database.ts';
import { type Db, openDatabase } from './database/database.ts';
import { sharedMigrations } from './database/shared-migrations.ts';
import { createIdentitySigner, identityHeader } from './identity/identity.ts';
import { baseConfig, loadConfig } from './process/config.ts';
import type { Running } from './process/lifecycle.ts';
import { type ServiceOptions, startService } from './service.ts';

const name = 'comms-service';
const topology = defineTopology(name, {});
const { privateJwk, publicJwk } = keyPair('gateway');
const sign = createIdentitySigner(privateJwk);

let own: URL;
let migrations: readonly URL[];
let database: TestDatabase;
let db: Db;
let service: Running | undefined;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kit-service-'));
  await writeFile(join(directory, '001_own.sql'), 'CREATE TABLE own (id int)');
  own = pathToFileURL(directory);
  migrations = [...sharedMigrations, own];
});
afterAll(() => rm(own, { recursive: true }));
beforeEach(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await db.destroy();
  await database.drop();
});

const configFor = (env: NodeJS.ProcessEnv = {}) =>
  loadConfig(baseConfig, {
    DATABASE_URL: database.urls.comms,
    INTERNAL_PUBLIC_KEYS: JSON.stringify({ keys: [publicJwk] }),
    LOG_LEVEL: 'silent',
    ...env,
  });

async function start(options: Partial<ServiceOptions> = {}): Promise<Running> {
  service = await startService({ topology, config: configFor(), migrations, ...options });
  return service;
}

async function call(port: number, method: string, path: string) {
  const headers = { [identityHeader]: await sign({ sub: 'chief-1', role: 'admin' }, name) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
}

test('a started service is alive and ready, and shows its metrics on the internal port alone', async () => {
  const { port, metricsPort } = await start();
  expect(await call(port, 'GET', '/healthz')).toEqual({ status: 200, body: { status: 'alive' } });
  expect(await call(port, 'GET', '/readyz')).toEqual({ status: 200, body: { status: 'ready' } });
  expect((await call(port, 'GET', '/metrics')).status).toBe(404);
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(await metrics.text()).toMatch(
    /http_request_duration_seconds_count\{service="comms-service".*route="\/readyz"/,
  );
  expect((await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).status).toBe(404);
});

test('while it takes its leave it says so to who asks whether it is ready, and serves on', async () => {
  const { port, leave } = await start();
  await leave?.();
  expect(await call(port, 'GET', '/readyz')).toMatchObject({ status: 503, body: { detail: 'About to stop' } });
  expect((await call(port, 'GET', '/healthz')).status).toBe(200);
});

test('what an operator watches is read from the tables at each look, and left out while it cannot be', async () => {
  const own = { kind: 'gauge', name: 'own_rows', help: 'Rows', labels: ['parity'] } as const;
  const { metricsPort } = await start({
    figures: [
      { kind: 'gauge', name: 'own_largest', help: 'Id', sql: 'SELECT id AS value FROM own ORDER BY id DESC LIMIT 1' },
      {
        ...own,
        sql: "SELECT CASE id % 2 WHEN 0 THEN 'even' ELSE 'odd' END AS parity, count(*) AS value FROM own GROUP BY 1",
      },
    ],
  });
  const look = async () => {
    const metric = await readMetrics(`http://127.0.0.1:${metricsPort}/metrics`);
    return [metric('own_rows', { parity: 'odd' }), metric('own_rows', { parity: 'even' }), metric('own_largest')];
  };
  expect(await look()).toEqual([undefined, undefined, undefined]);
  await db.raw('INSERT INTO own SELECT generate_series(1, 3)');
  expect(await look()).toEqual([2, 1, 3]);
  await db.raw('DROP TABLE own');
  expect(await look()).toEqual([undefined, undefined, undefined]);
});

test('each queue tells how many messages came, what became of them, and how far behind it is', async () => {
  const queue = {
    name: `${name}:renewal:test`,
    bindings: ['customer.changed'],
    batch: 10,
    prefetch: 10,
    retry: { delaysMs: [10], maxAttempts: 3 },
  };
  let tries = 0;
  const handle = async () => {
    if (++tries === 1) throw new Error('the first try fails');
  };
  let given: Bus | undefined;
  const { metricsPort } = await start({
    work: ({ bus }) => {
      given = bus;
      return { consumers: [{ queue, handle }] };
    },
  });
  const event = {
    specversion: '1.0',
    id: randomUUID(),
    source: 'test',
    type: 'customer.changed',
    subject: 'C-1',
  } as const;
  await given?.publish([{ event: { ...event, time: new Date().toISOString(), data: {} } }]);
  await eventually(async () => {
    const metric = await readMetrics(`http://127.0.0.1:${metricsPort}/metrics`);
    const of = { queue: queue.name };
    expect(metric('bus_messages_total', { ...of, outcome: 'retried' })).toBe(1);
    expect(metric('bus_messages_total', { ...of, outcome: 'done' })).toBe(1);
    expect(metric('bus_message_lag_seconds_count', of)).toBe(1);
    expect(metric('bus_batch_duration_seconds_count', of)).toBe(2);
  });
});

test('without its database a service is alive, not ready, and says which part is missing; then it is ready again', async () => {
  const { port } = await start();
  await database.turnAway(true);
  const { status, body } = await call(port, 'GET', '/readyz');
  expect([status, body]).toMatchObject([503, { code: 'unavailable', detail: expect.stringContaining('database') }]);
  expect((await call(port, 'GET', '/healthz')).status).toBe(200);
  await database.turnAway(false);
  expect((await call(port, 'GET', routesPath())).status).toBe(200);
});

const timelineQueue = {
  name: `${name}:renewal:timeline`,
  bindings: ['RENEWAL_TRIGGERED'],
  batch: 1,
  prefetch: 1,
  retry: { delaysMs: [100], maxAttempts: 1 },
};

/** Takes what comes to it, and does nothing. */
const work: ServiceOptions['work'] = () => ({ consumers: [{ queue: timelineQueue, handle: async () => {} }] });

test('a broker that is away keeps nobody from being served', async () => {
  const { port } = await start({ config: configFor({ AMQP_URL: 'amqp://127.0.0.1:1' }), work });
  expect((await call(port, 'GET', '/healthz')).status).toBe(200);
  expect((await call(port, 'GET', routesPath())).status).toBe(200);
  const { status, body } = await call(port, 'GET', '/readyz');
  expect([status, body]).toMatchObject([503, { detail: expect.stringContaining('bus') }]);
});

const routesPath = (rest = '') => `/ops/services/${name}/dead-letters${rest}`;

const event: Envelope = {
  specversion: '1.0',
  id: 'event-1',
  source: 'renewals-service',
  type: 'RENEWAL_TRIGGERED',
  subject: 'C-1',
  time: '2025-01-01T00:00:00Z',
  data: { customer_id: 'C-1' },
};

test('dead letters are listed and replayed once, by their own service only', async () => {
  // A replay that has nowhere to go may be tried again.
  const { port } = await start({ work });
  const id = '0198c0de-0000-7000-8000-000000000001';
  await db('dead_letters').insert({
    id,
    queue: timelineQueue.name,
    event_id: event.id,
    event_type: event.type,
    subject: event.subject,
    body: JSON.stringify(event),
    attempts: 8,
    error: 'it would not',
  });
  const listed = await call(port, 'GET', routesPath());
  expect(deadLetterPage.parse(listed.body).data).toMatchObject([{ id, attempts: 8, replayed_at: null }]);
  expect(await call(port, 'POST', routesPath(`/${id}/replay`))).toMatchObject({ status: 202, body: { id } });
  expect((await call(port, 'POST', routesPath(`/${id}/replay`))).status).toBe(409);
  expect((await call(port, 'POST', routesPath('/0198c0de-0000-7000-8000-000000000002/replay'))).status).toBe(404);
  expect((await call(port, 'GET', '/ops/services/notifier/dead-letters')).status).toBe(404);
  expect(await call(port, 'GET', routesPath('?cursor=nonsense'))).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'cursor' }] },
  });
});

const strike = '/ops/communications/0198c0de-0000-7000-8000-000000000003/strike';

test('a stop lets a request in work finish, and publishes what it wrote', async () => {
  const entered = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const { port, stop } = await start({
    work: ({ http, outbox }) => {
      http.write(routes.strikeCommunication, async ({ trx }) => {
        entered.resolve();
        await mayGoOn.promise;
        await outbox.add(trx, { type: 'COMMUNICATION_RECEIVED', data: received });
        return { body: {} as never };
      });
      return {};
    },
  });
  const inWork = call(port, 'POST', strike);
  await entered.promise;
  const stopped = stop();
  mayGoOn.resolve();
  expect((await inWork).status).toBe(200);
  await stopped;
  expect(await db('outbox').whereNull('published_at')).toEqual([]);
  expect(await db('outbox')).toHaveLength(1);
});

const received = {
  customer_id: 'C-1',
  occurred_at: '2025-01-01T00:00:00Z',
  communication_id: '0198c0de-0000-7000-8000-000000000003',
  type: 'SMS' as const,
  renewal_id: null,
};

test('services of one schema that start together all come up', async () => {
  const both = await Promise.all([1, 2, 3].map(() => startService({ topology, config: configFor(), migrations })));
  expect(await Promise.all(both.map(async ({ port }) => (await call(port, 'GET', '/readyz')).status))).toEqual([
    200, 200, 200,
  ]);
  await Promise.all(both.map((one) => one.stop()));
});

test('a start that fails half way lets go of all it had', async () => {
  const { port } = await start();
  const taken = { topology, migrations, config: configFor({ PORT: String(port) }) };
  await expect(startService(taken)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await service?.stop();
  service = undefined;
  const { rows } = await db.raw(
    `SELECT FROM pg_stat_activity WHERE application_name = ? AND datname = current_database()`,
    [name],
  );
  expect(rows).toEqual([]);
});

test('a wrong password stops the start at once instead of waiting for a database', async () => {
  const DATABASE_URL = Object.assign(new URL(database.urls.comms), { password: 'wrong' }).href;
  await expect(start({ config: configFor({ DATABASE_URL }) })).rejects.toMatchObject({ code: '28P01' });
});
