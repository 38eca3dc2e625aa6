import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { type ProcessName, serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { dateIn } from '@ops/test-kit/time-zones';
import { type System, startSystem } from '@ops/test-system/system';
import { type Balancer, startBalancer } from './balancer.ts';
import { everyPage } from './pages.ts';
import { nothingWaits } from './quiet.ts';
import {
  asking,
  beginLoad,
  type Caller,
  env,
  introduce,
  office,
  person,
  posting,
  reading,
  writing,
} from './steady-load.ts';

const names: readonly ProcessName[] = [...serviceNames, 'gateway'];
const instanceOf = (name: ProcessName, nth: number) => (nth === 1 ? name : `${name}-${nth}`);
const entryOf = (name: ProcessName) =>
  new URL(`../../${name === 'gateway' ? name : `services/${name}`}/src/main.ts`, import.meta.url);

/** More than an idle connection is kept by who holds it. */
const drain = { DRAIN_SECONDS: '6' };
const longEnoughToStopMs = 30_000;

const customer = { id: 'C-rolling', phone: '+447700900001', email: 'rolling@example.com' };
const log = `/ops/customers/${customer.id}/communications`;
const due = Array.from({ length: 20 }, (_, n) => ({
  id: `C-due-${n}`,
  phone: `+4477009${10_000 + n}`,
  email: `C-due-${n}@example.com`,
  type: `DEMO_${String(n).padStart(6, '0')}`,
}));

describe.each([
  [2, 'rabbitmq'],
  [3, 'postgres'],
] as const)('%i of each process, %s bus', (many, bus) => {
  const nths = Array.from({ length: many }, (_, n) => n + 1);
  let balancers: Record<ProcessName, Balancer>;
  let system: System;

  beforeAll(async () => {
    const started = await Promise.all(names.map(async (name) => [name, await startBalancer()] as const));
    balancers = Object.fromEntries(started) as typeof balancers;
    const doors = Object.fromEntries(started.map(([name, { port }]) => [name, port])) as Record<ProcessName, number>;
    system = await startSystem({ bus, env: { ...env, ...drain }, doors });
    for (const nth of nths.slice(1))
      await Promise.all(names.map((name) => system.addProcess(instanceOf(name, nth), entryOf(name), name)));
    for (const name of names) balancers[name].instances(() => nths.map((nth) => system.portOf(instanceOf(name, nth))));
    await allAreReady();
    await prepare();
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all(Object.values(balancers).map((balancer) => balancer.stop()));
  });

  const allAreReady = () =>
    eventually(() => expect(names.map((name) => balancers[name].ready().length)).toEqual(names.map(() => many)));

  /** Connections are made as they are needed, and go to one after the other. */
  const allWork = () =>
    eventually(() => {
      for (const { ready, sentTo } of Object.values(balancers))
        expect(ready().filter((port) => !sentTo.has(port))).toEqual([]);
    });

  async function prepare(): Promise<void> {
    await introduce(system, [customer, ...due]);
    const staff = await system.client('staff');
    const renewal = { due_date: dateIn(office, 20) };
    for (const { id, type } of due)
      await staff.post(`/ops/customers/${id}/renewals`, { ...renewal, service_type: type });
  }

  /** Staff, programs and providers, each with a connection of its own; enough of each for all instances to have some. */
  async function callers(): Promise<Caller[]> {
    const headers = { authorization: `Bearer ${await system.token('staff')}` };
    const scheduler = { authorization: `Bearer ${await system.token('scheduler')}` };
    const inbound = { type: 'MESSAGING_APP', direction: 'INBOUND' };
    return [
      ...[1, 2].map((n) => reading(`reader ${n}`, `${log}?limit=20`, headers)),
      ...nths.map((n) => reading(`queue ${n}`, '/ops/renewals?limit=20', headers)),
      ...nths.map((n) => reading(`tasks ${n}`, '/ops/tasks', headers)),
      ...Array.from({ length: 12 }, (_, n) => person(`person ${n}`, `${log}?limit=20`, headers)),
      ...[1, 2].map((n) => writing(`careful ${n}`, customer.id, headers, inbound, true)),
      ...[1, 2].map((n) => writing(`plain ${n}`, customer.id, headers, inbound)),
      writing('sender', customer.id, headers, { type: 'EMAIL', direction: 'OUTBOUND' }),
      ...nths.map((n) => posting(`provider-${n}`, customer.phone)),
      ...[1, 2].map((n) => asking(`scheduler ${n}`, '/ops/renewals/refresh', scheduler)),
    ];
  }

  /** One of each kind at the same time, as a restart of every Deployment does. */
  const replaceAll = (nth: number) =>
    Promise.all(names.map((name) => system.restart(instanceOf(name, nth), longEnoughToStopMs)));

  /** A screen that comes back whenever its stream ends; how often it did. */
  function watch(): () => Promise<number> {
    let over = false;
    const screen = async () => {
      let times = 0;
      for (; !over; times += 1) {
        const stream = await system.stream('staff');
        await Promise.race([stream.ended, closing.promise]);
        stream.close();
      }
      return times;
    };
    const closing = Promise.withResolvers<void>();
    const watching = screen();
    return () => {
      over = true;
      closing.resolve();
      return watching;
    };
  }

  test('all of them are replaced under load: no request fails, and all that was taken is there once', async () => {
    const screens = [watch(), watch()];
    const load = beginLoad(system.gatewayUrl, await callers());
    await allWork();
    for (const nth of nths) {
      await replaceAll(nth);
      await allAreReady();
    }
    await load.stop();
    const shown = await Promise.all(screens.map((end) => end()));

    console.log(`${load.requests} requests through a rolling restart of everything, ${load.failures.length} failed`);
    expect(load.failures).toEqual([]);
    expect(Math.max(...shown)).toBeGreaterThan(1);
    await eventually(() => nothingWaits(system));
    const staff = await system.client('staff');
    const { data } = await everyPage<Communication>(staff, `${log}?limit=200`);
    expect(data.map(({ body }) => body).toSorted()).toEqual(load.taken.toSorted());
    await sentOnce(data.filter(({ direction }) => direction === 'OUTBOUND'));
  });

  /** What staff wrote, and the letter that each of the dates led to. */
  async function sentOnce(written: readonly Communication[]): Promise<void> {
    const journal = await system.simulator.journal();
    const to = (channel: string) => journal.filter((entry) => entry.channel === channel);
    for (const { body } of written) expect(to('EMAIL').filter(({ text }) => text.includes(body ?? ''))).toHaveLength(1);
    const named = to('MESSAGING_APP').flatMap(({ text }) => [...new Set(text.match(/DEMO_\d{6}/g))]);
    expect(named.toSorted()).toEqual(due.map(({ type }) => type));
  }
});
