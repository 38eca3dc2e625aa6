import { expect } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { eventually } from '@ops/test-kit/eventually';
import { dateIn } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { auditIsWhole } from './audited.ts';
import { type Client, everyPage } from './pages.ts';
import { nothingWaits } from './quiet.ts';
import { recorderQueue } from './recorder-queue.ts';
import {
  asking,
  type Caller,
  introduce,
  type Load,
  office,
  posting,
  reading,
  renewing,
  writing,
} from './steady-load.ts';

const customer = { id: 'C-failover', phone: '+447700900002', email: 'failover@example.com' };
const log = `/ops/customers/${customer.id}/communications`;
const due = Array.from({ length: 60 }, (_, n) => ({
  id: `C-due-${n}`,
  phone: `+4477009${20_000 + n}`,
  email: `due-${n}@example.com`,
  type: `DEMO_${String(n).padStart(6, '0')}`,
}));

/** Customers, and beside the services a consumer that counts what each event leads to. */
export async function prepare(system: System): Promise<void> {
  await introduce(system, [customer, ...due]);
  const notifier = system.database('notifier');
  await notifier.schema.createTable('recorded', (t) => t.uuid('communication_id').notNullable());
  await system.addProcess('recorder', new URL('./recorder.ts', import.meta.url), 'notifier', [recorderQueue]);
}

/** Some say it once, and some until it is taken. */
export async function callers(system: System): Promise<Caller[]> {
  const headers = { authorization: `Bearer ${await system.token('staff')}` };
  const scheduler = { authorization: `Bearer ${await system.token('scheduler')}` };
  const inbound = { type: 'MESSAGING_APP', direction: 'INBOUND' };
  const insisting = (caller: Caller): Caller => ({ ...caller, insists: true });
  return [
    reading('reader', `${log}?limit=20`, headers),
    insisting(writing('careful', customer.id, headers, inbound, true)),
    writing('plain', customer.id, headers, inbound),
    insisting(writing('sender', customer.id, headers, { type: 'EMAIL', direction: 'OUTBOUND' }, true)),
    insisting(posting('provider-1', customer.phone)),
    posting('provider-2', customer.phone),
    renewing('renewer', due, dateIn(office, 20), headers),
    asking('scheduler', '/ops/renewals/refresh', scheduler),
  ];
}

/** So many more are acknowledged, half as many heard of, and so many handed to customers, than were when it was called. */
export async function goesOn(system: System, load: Load, [more, handed]: [number, number]): Promise<void> {
  const soFar = async () => ({
    taken: load.taken.length,
    heard: Number((await system.database('notifier')('recorded').count('* AS rows').first())?.rows),
    sent: (await system.simulator.journal()).length,
  });
  const before = await eventually(soFar);
  await eventually(async () => {
    const now = await soFar();
    expect(now.taken).toBeGreaterThanOrEqual(before.taken + more);
    expect(now.heard).toBeGreaterThanOrEqual(before.heard + more / 2);
    expect(now.sent).toBeGreaterThanOrEqual(before.sent + handed);
  }).catch(async (error) => {
    const sends = await system.database('notifier')('sends').groupBy('status').select('status').count('* AS rows');
    const waits = { sends, events: await system.eventsWaiting() };
    throw new Error(`It stands still: ${JSON.stringify(waits)}`, { cause: error });
  });
}

/** What was acknowledged is there once and took effect once; of what was told to have failed, nothing twice. */
export async function nothingLostOrDoubled(system: System, load: Load): Promise<void> {
  const staff = await system.client('staff');
  await system.client('scheduler').then((scheduler) => scheduler.post('/ops/renewals/refresh'));
  await eventually(() => nothingWaits(system));
  await settle(system, staff);
  await eventually(() => nothingWaits(system));

  const { data } = await everyPage<Communication>(staff, `${log}?limit=200`);
  const bodies = data.map(({ body }) => body ?? '');
  const refused = new Set(load.refused);
  expect(bodies.filter((body) => !refused.has(body)).toSorted()).toEqual(load.taken.toSorted());
  expect(new Set(bodies).size).toBe(bodies.length);
  await countedOnce(system, data);
  await handedOnce(system, staff, data);
  await auditIsWhole(system, due.length);
}

/** Each record that came in, by whichever door, was heard of once. */
async function countedOnce(system: System, records: readonly Communication[]): Promise<void> {
  const inbound = records.filter(({ direction }) => direction === 'INBOUND').map(({ id }) => id);
  await eventually(async () => {
    const counted = await system.database('notifier')('recorded').pluck('communication_id');
    expect(counted.toSorted()).toEqual(inbound.toSorted());
  });
}

/** What staff wrote, and a letter of each date that is on record. */
async function handedOnce(system: System, staff: Client, records: readonly Communication[]): Promise<void> {
  const journal = await system.simulator.journal();
  const to = (channel: string) => journal.filter((entry) => entry.channel === channel);
  for (const { body } of records.filter(({ direction }) => direction === 'OUTBOUND'))
    expect(to('EMAIL').filter(({ text }) => text.includes(body ?? ''))).toHaveLength(1);
  const dates = await everyPage<{ service_type: string }>(staff, '/ops/renewals?limit=200');
  const types = dates.data.map(({ service_type }) => service_type);
  expect(types.length).toBeGreaterThan(0);
  const named = to('MESSAGING_APP').flatMap(({ text }) => [...new Set(text.match(/DEMO_\d{6}/g))]);
  expect(named.toSorted()).toEqual(types.toSorted());
}

/** Of what nobody can know but the customer, a person asks, and sends again what did not come. */
async function settle(system: System, staff: Client): Promise<void> {
  const { data } = await everyPage<Communication>(staff, '/ops/communications/failed?limit=200');
  const journal = await system.simulator.journal();
  for (const { id, body, status, type } of data) {
    expect(status).toBe('UNCERTAIN');
    const came = journal.some(({ channel, text }) => channel === type && text.includes(body ?? ''));
    await staff.post(`/ops/communications/${id}/resolve`, { outcome: came ? 'sent' : 'failed' });
    if (!came) await staff.post(`/ops/communications/${id}/retry`);
  }
}

export const figures = ({ requests, failures, taken, longestGapMs }: Load): string =>
  `${requests} requests, ${failures.length} told that they failed, ${taken.length} messages taken, the longest time without one ${Math.round(longestGapMs)} ms`;
