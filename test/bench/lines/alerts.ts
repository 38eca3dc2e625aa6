import type { RefreshRun } from '@ops/contracts/resources/refresh';
import { eventually } from '@ops/test-kit/eventually';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { importFile } from '../csv-import.ts';
import { openBareBroker } from '../floors/bare-broker.ts';
import type { Sent } from '../generator.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { type Generator, startGenerator } from '../load.ts';
import { describeSpent, ourProcesses, spentBetween, spentBy, spentByPostgres, together } from '../processor-time.ts';
import { median } from '../rounds.ts';
import { asStaff, each, openSystem, settled } from '../traffic.ts';

const customers = 2_000;
/** Of the messaging app and an e-mail: what the plan that the system comes with makes of 30 days. */
const channels = 2;
const messages = customers * channels;
/** At which nobody is asleep. */
const office = zoneWhereItIs(12);

export const alerts: Line = {
  name: 'alerts',
  title: `alert -> handed to the provider: ${customers} customers, a renewal each that is due in 30 days, ${channels} channels`,
  floor:
    'each alert published to three quorum queues and taken from each, by bare amqplib; it plans, writes and sends nothing',
  minutes: 2,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  // As fast as it can: how fast providers want it is a setting.
  const rates = Object.fromEntries(['MESSAGING_APP', 'EMAIL'].map((one) => [`SENDING_RATE_${one}`, '100000']));
  const system = await openSystem(bench, { env: { OPS_TIME_ZONE: office, ...rates } });
  await introduce(system, await startGenerator(bench.undo));
  const { perSecond, spent, postgres } = await alertAll(system);
  const bare = await openBareBroker(bench.undo, await alertOf(system), 3);
  const floor: number[] = [];
  for (let round = 0; round < bench.rounds; round++) floor.push((await bare.fanOut(customers)) * channels);
  const perMessage = (seconds: number) => (seconds * 1000) / messages;
  return [
    {
      what: 'alert -> handed to the provider',
      unit: 'messages/s',
      system: perSecond,
      floor: median(floor),
      aim: { of: 'system', atLeast: 250 },
      told: 'one round of the system, from the call that begins the night; the floor counts two of its three queues',
    },
    {
      what: 'alert: processor time of our processes a message',
      unit: 'ms',
      system: perMessage(together(spent)),
      told: describeSpent(spent, messages),
    },
    { what: "alert: Postgres' processor time a message", unit: 'ms', system: perMessage(postgres) },
  ];
}

const phoneOf = (n: number) => `+44771${String(n).padStart(7, '0')}`;
const mailOf = (n: number) => `alerted-${n}@example.com`;
const ofEach = <T>(make: (n: number) => T): T[] => each(customers, make);

/** Everybody has a phone and a mailbox, and a permit that ends. */
async function introduce(system: System, send: Generator): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const post = (path: string, body: object, headers = {}): Sent => ({
    method: 'POST',
    path,
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });
  const all = (origin: string, requests: Sent[]) =>
    send({ origin, requests, connections: 8, until: { requests: customers } });
  await all(
    system.simulator.url,
    ofEach((n) => post('/sim/people', { name: `Customer ${n}`, phone: phoneOf(n), email: mailOf(n) })),
  );
  const rows = ofEach((n) => `C-alerted-${n},Customer ${n},${phoneOf(n)},${mailOf(n)}`);
  await importFile(system, 'customers', ['customer_id,name,phones,emails', ...rows]);
  await settled(system);
  const renewal = { service_type: 'RESIDENCE_PERMIT', due_date: dateIn(office, 30) };
  const staff = await asStaff(system);
  await all(
    system.gatewayUrl,
    ofEach((n) => post(`/ops/customers/C-alerted-${n}/renewals`, renewal, staff)),
  );
  await settled(system);
}

async function alertAll(system: System) {
  const processes = await ourProcesses();
  const notifier = system.database('notifier');
  const before = { spent: await spentBy(processes), postgres: await spentByPostgres(notifier) };
  const began = performance.now();
  const { status, body } = await (await system.client('scheduler')).post('/ops/renewals/refresh');
  if (status > 202) throw new Error(`the refresh was answered ${status}: ${JSON.stringify(body as RefreshRun)}`);
  const handed = notifier('sends').whereIn('status', ['SENT', 'DELIVERED', 'READ']);
  await eventually(async () => expectAll(Number((await handed.clone().count({ n: '*' }))[0]?.n)), patiently);
  const perSecond = messages / ((performance.now() - began) / 1000);
  await settled(system);
  expectAll((await system.simulator.journal()).length);
  const spent = spentBetween(before.spent, await spentBy(processes));
  return { perSecond, spent, postgres: (await spentByPostgres(notifier)) - before.postgres };
}

const patiently = { timeoutMs: 900_000, everyMs: 250 };

function expectAll(handed: number): void {
  if (handed !== messages) throw new Error(`${handed} of ${messages} messages were handed to a provider`);
}

/** As it travels. */
async function alertOf({ database }: System): Promise<Buffer> {
  const { event } = await database('renewals')('outbox').where({ type: 'RENEWAL_TRIGGERED' }).first('event');
  return Buffer.from(JSON.stringify(event));
}
