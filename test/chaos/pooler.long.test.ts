import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Pooler, startPgBouncer } from '@ops/test-kit/pgbouncer';
import { startPostgresNode, type TestPostgres } from '@ops/test-kit/postgres-node';
import { type System, startSystem } from '@ops/test-system/system';
import { callers, figures, goesOn, nothingLostOrDoubled, prepare } from './failing-over.ts';
import { beginLoad, env } from './steady-load.ts';

let postgres: TestPostgres;
let pooler: Pooler;
let system: System;

/** Of each role; its process alone would open more. */
const connections = 3;

beforeAll(async () => {
  postgres = await startPostgresNode();
  pooler = await startPgBouncer(postgres.url, connections);
  system = await startSystem({
    bus: 'rabbitmq',
    env: { ...env, PREPARED_STATEMENTS: 'off' },
    databaseUrl: postgres.url,
    pooler: pooler.port,
  });
  await prepare(system);
});
afterAll(async () => {
  await system?.stop();
  await pooler?.stop();
  await postgres?.stop();
});

test('behind a pooler that hands connections on between transactions nothing is lost, nothing happens twice, and nobody is told that it failed', async () => {
  const load = beginLoad(system.gatewayUrl, await callers(system));
  await goesOn(system, load, [200, 25]);
  await load.stop();
  console.log(`behind a pooler: ${figures(load)}`);
  expect(load.failures).toEqual([]);
  await nothingLostOrDoubled(system, load);
});
