import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { atPort } from '@ops/test-kit/postgres-node';
import { type PostgresPair, startPostgresPair, takesWrites } from '@ops/test-kit/postgres-pair';
import { type System, startSystem } from '@ops/test-system/system';
import { type Balancer, startBalancer } from './balancer.ts';
import { callers, figures, goesOn, nothingLostOrDoubled, prepare } from './failing-over.ts';
import { beginLoad, env, tally } from './steady-load.ts';

describe.each(['rabbitmq', 'postgres'] as const)('on the %s bus', (bus) => {
  let pair: PostgresPair;
  let balancer: Balancer;
  let system: System;

  beforeAll(async () => {
    pair = await startPostgresPair();
    const { primary, standby } = pair;
    balancer = await startBalancer((port) => takesWrites(atPort(primary.url, port)));
    balancer.instances(() => [primary, standby].map(({ url }) => Number(new URL(url).port)));
    await eventually(() => expect(balancer.ready()).toHaveLength(1));
    system = await startSystem({ bus, env, databaseUrl: atPort(primary.url, balancer.port) });
    await prepare(system);
  });
  afterAll(async () => {
    await system?.stop();
    await balancer?.stop();
    await pair?.stop();
  });

  test('the Postgres that all write to is killed under load, and its standby takes over: what failed was told so, nothing is lost, nothing happens twice', async () => {
    const load = beginLoad(system.gatewayUrl, await callers(system));
    await goesOn(system, load, [50, 5]);
    await pair.primary.kill();
    await pair.promote();
    await goesOn(system, load, [150, 20]);
    await load.stop();
    console.log(`on the ${bus} bus the Postgres that all write to killed: ${figures(load)}; ${tally(load, answerOf)}`);
    expect(load.failures.filter((failure) => !/: 50[234]$/.test(failure))).toEqual([]);
    await nothingLostOrDoubled(system, load);
  });
});

const answerOf = (failure: string) => failure.split(': ')[1] ?? '';
