import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@ops/test-kit/eventually';
import type { LiveEvents } from '@ops/test-kit/live-events';
import type { System } from '@ops/test-system/system';
import type { Webhook } from '../webhooks/as-provider.ts';
import { cpuOf, describeCpu } from './cpu.ts';
import { customerId, customersOf, inParallel, type Plan, postTaken, webhooksOf } from './load.ts';
import { type Rows, rowsAdded, rowsOf } from './rows.ts';

interface Spread {
  p50: number;
  p99: number;
}

export interface Measured {
  /** Messages a second, from the first POST to the last answer. */
  accepted: number;
  /** Messages a second, from the first POST to the last record that can be read. */
  logged: number;
  messagesPerTransaction: number;
  /** Processor time for one message, by process. */
  cpu: string;
  /** Milliseconds at the steady rate, from POST to answer and to the event on a staff member's live stream. */
  answered: Spread;
  visible: Spread;
  /** Written for one message, by table. */
  rows: Rows;
  samples: Samples;
}

/** What one message really leaves in the tables, for pgbench to write the same. */
export interface Samples {
  payload: string;
  text: string;
  /** The event of webhook-ingest and the two of comms-service. */
  told: string;
  received: string;
  changed: string;
  timeline: string;
  queue: string;
}

const warmUp = 300;

export async function measureSystem(system: System, plan: Plan): Promise<Measured> {
  await storm(system, 'warm-up', { ...plan, messages: warmUp });
  await settled(system);
  const before = await rowsOfSystem(system);
  const cpuBefore = await cpuOf(system);
  const speed = await storm(system, 'storm', plan);
  const cpu = describeCpu(cpuBefore, await cpuOf(system), plan.messages);
  await settled(system);
  const rows = rowsAdded(before, await rowsOfSystem(system), plan.messages);
  return { ...speed, cpu, rows, ...(await steady(system, plan)), samples: await samplesOf(system) };
}

/** As fast as the connections take them. */
async function storm({ gatewayUrl, database }: System, name: string, plan: Plan) {
  const webhooks = webhooksOf(gatewayUrl, name, plan.messages, customersOf(plan));
  const records = database('comms')('communications').whereLike('provider_message_id', `wamid.bench.${name}.%`);
  const perSecond = (since: number) => plan.messages / ((performance.now() - since) / 1000);
  const began = performance.now();
  const posted = inParallel(plan.connections, plan.messages, (n) => postTaken(gatewayUrl, webhooks[n] as Webhook));
  const accepted = await posted.then(() => perSecond(began));
  await eventually(async () => expectAll(await records.clone().count({ n: '*' }), plan.messages), whileLogging);
  const logged = perSecond(began);
  const [transactions] = await records.clone().countDistinct({ n: 'created_at' });
  return { accepted, logged, messagesPerTransaction: Math.round(plan.messages / Number(transactions?.n)) };
}

const whileLogging = { timeoutMs: 300_000, everyMs: 25 };

function expectAll([counted]: { n?: string | number }[], wanted: number): void {
  if (Number(counted?.n) !== wanted) throw new Error(`${counted?.n} of ${wanted} messages were logged`);
}

async function settled({ eventsWaiting }: System): Promise<void> {
  const nothingWaits = async () => {
    const waiting = await eventsWaiting();
    if (Object.keys(waiting).length > 0) throw new Error(`events still wait: ${JSON.stringify(waiting)}`);
  };
  await eventually(nothingWaits, { everyMs: 250 });
}

/** At a rate the system keeps up with, whether or not the last one has been answered. */
async function steady(system: System, plan: Plan): Promise<{ answered: Spread; visible: Spread }> {
  const { gatewayUrl, stream } = system;
  const count = plan.rate * plan.seconds;
  const webhooks = webhooksOf(gatewayUrl, 'steady', count, customersOf(plan));
  const live = await stream('staff');
  const sentAt: number[] = [];
  const answered: number[] = [];
  const began = performance.now();
  const posts = webhooks.map(async (webhook, n) => {
    await pause(Math.max(0, began + (n * 1000) / plan.rate - performance.now()));
    const at = performance.now();
    sentAt[n] = at;
    await postTaken(gatewayUrl, webhook);
    answered.push(performance.now() - at);
  });
  await Promise.all(posts);
  const heardAt = await eventually(() => allHeard(live, count));
  live.close();
  return { answered: spread(answered), visible: spread(heardAt.map((at, n) => at - (sentAt[n] as number))) };
}

/** When the stream told of each customer's message. */
function allHeard({ events }: LiveEvents, count: number): number[] {
  const received = events.filter(({ type }) => type === 'COMMUNICATION_RECEIVED');
  const heard = new Map(received.map(({ data, heardAt }) => [(data as { subject: string }).subject, heardAt]));
  if (heard.size < count) throw new Error(`the stream told of ${heard.size} of ${count} messages`);
  return Array.from({ length: count }, (_, n) => heard.get(customerId(n)) as number);
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: percentile(0.5), p99: percentile(0.99) };
}

async function rowsOfSystem({ database }: System): Promise<Rows> {
  return { ...(await rowsOf(database('ingest'), 'ingest')), ...(await rowsOf(database('comms'), 'comms')) };
}

async function samplesOf({ database }: System): Promise<Samples> {
  const ingest = database('ingest');
  const comms = database('comms');
  const { body } = await ingest('deliveries').orderBy('id', 'desc').first('body');
  const record = await comms('communications').orderBy('id', 'desc').first('body');
  const line = await comms('timeline').orderBy('event_id', 'desc').first('data');
  const event = async (db: typeof comms, type: string) =>
    JSON.stringify((await db('outbox').where({ type }).orderBy('id', 'desc').first('event')).event);
  return {
    payload: body.toString('hex'),
    text: record.body,
    told: await event(ingest, 'provider.message.received'),
    received: await event(comms, 'COMMUNICATION_RECEIVED'),
    changed: await event(comms, 'communication.changed'),
    timeline: JSON.stringify(line.data),
    queue: (await comms('inbox').first('queue')).queue,
  };
}
