import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { serviceNames } from '@ops/contracts/routes';
import type { Message } from '@ops/provider-sim/message';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-kit/system';
import { type Client, everyPage } from '../chaos/pages.ts';
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
  const traffic = Promise.all(people.map((person) => Promise.all([writeIn(person, stop), writeOut(person, stop)])));
  for (const container of containers) {
    await crash(container);
    await bothWays(50);
    process.stdout.write(`${container}: ${figures()}\n`);
  }
  stop.abort();
  await traffic;

  const staff = await system.client('staff');
  await eventually(nothingWaits, slowly);
  for (const record of (await everyPage<Communication>(staff, '/ops/communications/failed?limit=200')).data)
    await settle(staff, record);
  await eventually(nothingWaits, slowly);

  const logs = await Promise.all(people.map((person) => logAndPhone(staff, person)));
  for (const { log, phone } of logs) expect(log).toEqual(phone);
  const all = new Set(logs.flatMap(({ log }) => [...log.inbound, ...log.outbound]));
  expect([...taken.inbound, ...taken.outbound].filter((text) => !all.has(text))).toEqual([]);
  process.stdout.write(`${figures()}, settled by hand ${settled}\n`);
}, 1_800_000);

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
async function writeIn({ phone }: Person, { signal }: AbortController): Promise<void> {
  for (let i = 0; !signal.aborted; i += 1) {
    const letter = { channel: channels[i % channels.length] as Message['channel'], text: canary() };
    await system.simulator.write(phone, letter).then(
      () => taken.inbound.add(letter.text),
      () => undefined,
    );
    await pause();
  }
}

/** As staff at a desk of their own: the same key until there is an answer that says it is kept. */
async function writeOut({ id }: Person, { signal }: AbortController): Promise<void> {
  const client = await eventually(() => system.client('staff', `staff-${id}`), slowly);
  for (let i = 0; !signal.aborted; i += 1) {
    const message = { type: channels[i % channels.length], direction: 'OUTBOUND', body: canary() };
    const headers = { 'idempotency-key': `kills-${id}-${i}` };
    await eventually(async () => {
      const answer = await client.post(`/ops/customers/${id}/communications`, message, { headers });
      expect(answer.status).toBe(201);
    }, slowly);
    taken.outbound.add(message.body);
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

async function nothingWaits(): Promise<void> {
  expect(await system.database('comms')('communications').where({ status: 'QUEUED' }).select('id')).toEqual([]);
  expect(await system.simulator.webhooksWaiting()).toBe(0);
  expect(await system.eventsWaiting()).toBe(0);
}

async function logAndPhone(staff: Client, { id, phone }: Person) {
  const path = `/ops/customers/${id}/communications?limit=200`;
  const log = await everyPage<Communication, { unread_count: number }>(staff, path);
  const shown = await system.simulator.messages(phone);
  const inbound = log.data.filter(({ direction }) => direction === 'INBOUND');
  expect(log.last.unread_count).toBe(inbound.length);
  const outbound = log.data.filter(({ direction }) => direction === 'OUTBOUND');
  return {
    log: { inbound: inbound.map(({ body }) => body).toSorted(), outbound: outbound.map(({ body }) => body).toSorted() },
    phone: {
      inbound: shown.flatMap(({ from_firm, text }) => (from_firm ? [] : [text])).toSorted(),
      outbound: shown.flatMap(({ from_firm, text }) => (from_firm ? [text] : [])).toSorted(),
    },
  };
}

const slowly = { timeoutMs: 300_000, everyMs: 200 };
/** A person's pace, and within what one person may ask for in a minute. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 250));
