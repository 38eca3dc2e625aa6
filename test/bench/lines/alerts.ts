import type { RefreshRun } from '@ops/contracts/resources/refresh';
import { eventually } from '@ops/test-kit/eventually';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { openBareBroker } from '../floors/bare-broker.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { type Generator, startGenerator } from '../load.ts';
import { describeSpent, ourProcesses, spentBetween, spentBy, spentByPostgres, together } from '../processor-time.ts';
import { median } from '../rounds.ts';
import { asStaff, each, handedOver, meet, openSystem, posted, settled } from '../traffic.ts';

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

/** Each has a permit that ends. */
async function introduce(system: System, send: Generator): Promise<void> {
  const people = each(customers, (n) => ({
    id: `C-alerted-${n}`,
    name: `Customer ${n}`,
    phone: `+44771${String(n).padStart(7, '0')}`,
    email: `alerted-${n}@example.com`,
  }));
  await meet(system, send, people);
  const renewal = { service_type: 'RESIDENCE_PERMIT', due_date: dateIn(office, 30) };
  const staff = await asStaff(system);
  const requests = people.map(({ id }) => posted(`/ops/customers/${id}/renewals`, renewal, staff));
  await send({ origin: system.gatewayUrl, requests, connections: 8, until: { requests: customers } });
  await settled(system);
}

async function alertAll(system: System) {
  const processes = await ourProcesses();
  const notifier = system.database('notifier');
  const before = { spent: await spentBy(processes), postgres: await spentByPostgres(notifier) };
  const began = performance.now();
  const { status, body } = await (await system.client('scheduler')).post('/ops/renewals/refresh');
  if (status > 202) throw new Error(`the refresh was answered ${status}: ${JSON.stringify(body as RefreshRun)}`);
  await eventually(async () => expectAll(await handedOver(system)), patiently);
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
