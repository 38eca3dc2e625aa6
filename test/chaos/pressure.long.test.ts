import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { createClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import { type System, startSystem } from '@ops/test-system/system';
import { type Client, everyPage } from './pages.ts';
import { nothingWaits } from './quiet.ts';
import { beginLoad, type Caller, env, introduce, posting, reading, tally, writing } from './steady-load.ts';

/** Of each kind, with a connection each that is hardly ever idle: twenty times as many as are worked on at once. */
const WRITERS = Number(process.env.PRESSURE_WRITERS ?? 600);
const PROVIDERS = Number(process.env.PRESSURE_PROVIDERS ?? 200);
/** Until so many messages were taken. */
const TAKEN = Number(process.env.PRESSURE_TAKEN ?? 2_000);

const customers = Array.from({ length: 20 }, (_, n) => ({
  id: `C-pressure-${n}`,
  phone: `+4477009${30_000 + n}`,
  email: `pressure-${n}@example.com`,
}));
const customerOf = (n: number) => customers[n % customers.length] as (typeof customers)[number];
const logOf = ({ id }: { id: string }) => `/ops/customers/${id}/communications`;

describe.each(['rabbitmq', 'postgres'] as const)('on the %s bus', (bus) => {
  let system: System;
  let staff: Client;

  beforeAll(async () => {
    system = await startSystem({ bus, env });
    staff = await system.client('staff');
    await introduce(system, customers);
  });
  afterAll(() => system?.stop());

  async function callers(): Promise<Caller[]> {
    const headers = { authorization: `Bearer ${await system.token('staff')}` };
    const said = { type: 'MESSAGING_APP', direction: 'INBOUND' };
    return [
      ...Array.from({ length: WRITERS }, (_, n) => writing(`writer ${n}`, customerOf(n).id, headers, said)),
      ...Array.from({ length: PROVIDERS }, (_, n) => posting(`provider-${n}`, customerOf(n).phone)),
      ...customers.map((one) => reading('reader', `${logOf(one)}?limit=20`, headers)),
    ];
  }

  test(`${WRITERS} who write and ${PROVIDERS} who post at once: each is answered, what was taken is there once, and what was not is not`, async () => {
    const load = beginLoad(system.gatewayUrl, await callers());
    await eventually(() => expect(load.taken.length).toBeGreaterThanOrEqual(TAKEN));
    await load.stop();
    // All that it owed was answered, so it serves the next at once.
    const headers = { authorization: `Bearer ${await system.token('staff')}` };
    const { get } = createClient(system.gatewayUrl, async () => headers);
    for (const one of customers) expect(await get(`${logOf(one)}?limit=20`)).toMatchObject({ status: 200 });
    console.log(`${bus}: ${load.requests} requests; told to come again: ${tally(load, kindOf)}`);
    expect(load.failures.filter((failure) => !/: (429|503)$/.test(failure))).toEqual([]);
    await eventually(() => nothingWaits(system));
    // What a consumer holds at this moment is in no queue.
    await eventually(async () => expect((await allLogged()).toSorted()).toEqual(load.taken.toSorted()));
  });

  async function allLogged(): Promise<(string | null)[]> {
    const logs = await Promise.all(customers.map((one) => everyPage<Communication>(staff, `${logOf(one)}?limit=200`)));
    return logs.flatMap(({ data }) => data.map(({ body }) => body));
  }
});

const kindOf = (failure: string) => failure.split(/[ -]/, 1)[0] ?? '';
