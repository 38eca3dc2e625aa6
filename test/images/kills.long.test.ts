import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Communication, CreateCommunication } from '@ops/contracts/resources/communication';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-system/system';
import { createUntilAccepted } from '../chaos/creating.ts';
import { type Client, everyPage } from '../chaos/pages.ts';
import { nothingWaits } from '../chaos/quiet.ts';
import { crash } from './containers.ts';

/** By hand, against what `docker compose up` started: CONTRIBUTING.md. */
const containers = ['postgres', 'rabbitmq', ...serviceNames, 'gateway', 'dev-idp', 'provider-sim'];
const channels = ['MESSAGING_APP', 'SMS', 'EMAIL'] as const;
const people = Array.from({ length: 12 }, (_, n) => ({
  id: `C-kills-${n}`,
  phone: `+4477007${String(n).padStart(5, '0')}`,
  email: `kills-${n}@example.com`,
}));
type Person = (typeof people)[number];
const channelOf = (i: number) => channels[i % channels.length] as (typeof channels)[number];

let system: System;
/** What its writer was told is kept. */
const taken = { inbound: new Set<string>(), outbound: new Set<string>() };
/** What nobody could know but who asked the customer. */
let settled = 0;

beforeAll(async () => {
  system = await startSystem({ bus: 'rabbitmq' });
  const staff = await system.client('staff');
  for (const { id, phone, email } of people) {
    await system.simulator.person({ name: id, phone, email });
    await staff.put(`/ops/customers/${id}`, { name: id, phones: [phone], emails: [email] });
    await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  }
});
afterAll(() => system?.stop());

test('every container is killed in turn under load: it comes back; what was taken is in the log, and on the phone, once', async () => {
  const stop = new AbortController();
  const traffic = people.flatMap((person) => [writeIn(person, stop.signal), writeOut(person, stop.signal)]);
  await Promise.all([...traffic, crashInTurn().finally(() => stop.abort())]);

  const staff = await system.client('staff');
  await eventually(() => nothingWaits(system), slowly);
  for (const record of (await everyPage<Communication>(staff, '/ops/communications/failed?limit=200')).data)
    await settle(staff, record);
  await eventually(() => nothingWaits(system), slowly);

  const logs = await Promise.all(people.map((person) => logAndPhone(staff, person)));
  for (const { log, phone } of logs) expect(log).toEqual(phone);
  const all = new Set(logs.flatMap(({ log }) => [...log.inbound, ...log.outbound]));
  expect([...taken.inbound, ...taken.outbound].filter((text) => !all.has(text))).toEqual([]);
  process.stdout.write(`${figures()}, settled by hand ${settled}\n`);
}, 1_800_000);

async function crashInTurn(): Promise<void> {
  for (const container of containers) {
    await crash(container);
    await bothWays(50);
    process.stdout.write(`${container}: ${figures()}\n`);
  }
}

/** As many more are taken, now that all runs again. */
async function bothWays(more: number): Promise<void> {
  const [inbound, outbound] = [taken.inbound.size + more, taken.outbound.size + more];
  await eventually(() => {
    expect(taken.inbound.size).toBeGreaterThanOrEqual(inbound);
    expect(taken.outbound.size).toBeGreaterThanOrEqual(outbound);
  }, slowly);
}

const figures = () => `taken in ${taken.inbound.size}, to be sent ${taken.outbound.size}`;

/** What the simulator kept though it could not say so is on the phone, and is looked for in the log as well. */
async function writeIn({ phone }: Person, signal: AbortSignal): Promise<void> {
  for (let i = 0; !signal.aborted; i += 1) {
    const letter = { channel: channelOf(i), text: canary() };
    await system.simulator.write(phone, letter).then(
      () => taken.inbound.add(letter.text),
      () => undefined,
    );
    await pause();
  }
}

/** As staff at a desk of their own. */
async function writeOut({ id }: Person, signal: AbortSignal): Promise<void> {
  const client = await eventually(() => system.client('staff', `staff-${id}`), slowly);
  for (let i = 0; !signal.aborted; i += 1) {
    const body = canary();
    const message: CreateCommunication = { type: channelOf(i), direction: 'OUTBOUND', body };
    await createUntilAccepted(client, { customer: id, message }, `kills-${id}-${i}`, slowly);
    taken.outbound.add(body);
    await pause();
  }
}

/** A staff member who asked the customer. */
async function settle(staff: Client, { id, body, customer_id, status }: Communication): Promise<void> {
  const { phone } = people.find((person) => person.id === customer_id) as Person;
  const arrived = (await system.simulator.messages(phone)).some(({ text }) => text === body);
  settled += 1;
  if (status === 'UNCERTAIN')
    await staff.post(`/ops/communications/${id}/resolve`, { outcome: arrived ? 'sent' : 'failed' });
  if (!arrived) expect(await staff.post(`/ops/communications/${id}/retry`)).toMatchObject({ status: 200 });
}

async function logAndPhone(staff: Client, { id, phone }: Person) {
  const path = `/ops/customers/${id}/communications?limit=200`;
  const log = await everyPage<Communication, { unread_count: number }>(staff, path);
  const told = bySide(
    log.data,
    ({ direction }) => direction === 'INBOUND',
    ({ body }) => body,
  );
  expect(log.last.unread_count).toBe(told.inbound.length);
  const messages = await system.simulator.messages(phone);
  const shown = bySide(
    messages,
    ({ from_firm }) => !from_firm,
    ({ text }) => text,
  );
  return { log: told, phone: shown };
}

function bySide<T>(all: readonly T[], isInbound: (one: T) => boolean, textOf: (one: T) => string) {
  const { inbound = [], outbound = [] } = Object.groupBy(all, (one) => (isInbound(one) ? 'inbound' : 'outbound'));
  return { inbound: inbound.map(textOf).toSorted(), outbound: outbound.map(textOf).toSorted() };
}

const slowly = { timeoutMs: 300_000, everyMs: 200 };
/** A person's pace, and within what one person may ask for in a minute. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 250));
