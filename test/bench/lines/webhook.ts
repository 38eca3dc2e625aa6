import { eventually } from '@ops/test-kit/eventually';
import type { LiveEvents } from '@ops/test-kit/live-events';
import type { System } from '@ops/test-system/system';
import { runPgbench } from '../floors/pgbench.ts';
import { type FloorTables, openTables } from '../floors/tables.ts';
import { webhookScript } from '../floors/webhook-script.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { type Generator, startGenerator } from '../load.ts';
import {
  describeSpent,
  ourProcesses,
  type Spent,
  spentBetween,
  spentBy,
  spentByPostgres,
  together,
} from '../processor-time.ts';
import { describeSpread, inTurns, medianOf, type Spread, spreadOf } from '../rounds.ts';
import { type Rows, rowsAdded, rowsOf, sameRows } from '../rows.ts';
import { type WebhookSamples, webhookSamples } from '../samples.ts';
import { customerId, customers, introduce, openSystem, settled, webhooksOf } from '../traffic.ts';

const connections = 16;
const messages = 2_000;
const steadySeconds = 20;
/** Of what the storm came to. */
const steadyShare = 0.7;

export const webhook: Line = {
  name: 'webhook',
  title: 'signed webhook of the messaging app -> in the log',
  floor: `pgbench: the inserts of one message after another, ${connections} connections, in the same tables`,
  minutes: 1,
  measure,
};

interface Stormed {
  /** A second, from the first POST to the last answer. */
  accepted: number;
  /** A second, from the first POST to the last record that can be read. */
  logged: number;
  answered: Spread;
  messagesPerTransaction: number;
  spent: Spent;
  postgres: number;
  generator: number;
  rows: Rows;
}

interface Written {
  perSecond: number;
  postgres: number;
  rows: Rows;
}

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench);
  const send = await startGenerator(bench.undo);
  await introduce(system);
  await storm(system, send, 'warm-up', 300);
  const samples = await webhookSamples(system);
  const tables = await openTables(bench.undo);
  const measured = await inTurns(
    bench.rounds,
    (round) => storm(system, send, `round-${round}`, messages),
    (round) => write(tables, samples, round),
  );
  const rate = steadyShare * medianOf(measured.system, ({ logged }) => logged);
  return figuresOf(measured, rate, await steady(system, send, rate));
}

async function storm(system: System, send: Generator, name: string, count: number): Promise<Stormed> {
  const [ingest, comms] = [system.database('ingest'), system.database('comms')];
  const processes = await ourProcesses();
  const requests = webhooksOf(system.gatewayUrl, name, count);
  const before = {
    rows: await rowsOf({ ingest, comms }),
    spent: await spentBy(processes),
    postgres: await spentByPostgres(comms),
  };
  const began = performance.now();
  const load = { origin: system.gatewayUrl, requests, connections, until: { requests: count } };
  const { rate: accepted, spent: generator, ...answered } = await send(load);
  const records = comms('communications').whereLike('provider_message_id', `wamid.bench.${name}.%`);
  await eventually(async () => expectAll(await records.clone().count({ n: '*' }), count), whileLogging);
  const logged = count / ((performance.now() - began) / 1000);
  await settled(system);
  const [transactions] = await records.clone().countDistinct({ n: 'created_at' });
  return {
    accepted,
    logged,
    answered,
    messagesPerTransaction: count / Number(transactions?.n),
    spent: spentBetween(before.spent, await spentBy(processes)),
    postgres: (await spentByPostgres(comms)) - before.postgres,
    generator,
    rows: rowsAdded(before.rows, await rowsOf({ ingest, comms }), count),
  };
}

const whileLogging = { timeoutMs: 300_000, everyMs: 50 };

function expectAll([counted]: { n?: string | number }[], wanted: number): void {
  if (Number(counted?.n) !== wanted) throw new Error(`${counted?.n} of ${wanted} messages were logged`);
}

async function write(
  { database, ingest, comms }: FloorTables,
  samples: WebhookSamples,
  round: number,
): Promise<Written | undefined> {
  const before = { rows: await rowsOf({ ingest, comms }), postgres: await spentByPostgres(comms) };
  const transactions = messages / connections;
  const perSecond = await runPgbench({
    url: database.adminUrl,
    text: webhookScript(customers),
    values: { ...samples, n: String(round * 1_000_000) },
    connections,
    transactions,
  });
  if (perSecond === undefined) return undefined;
  const postgres = (await spentByPostgres(comms)) - before.postgres;
  return { perSecond, postgres, rows: rowsAdded(before.rows, await rowsOf({ ingest, comms }), messages) };
}

/** At a rate the system keeps up with: what a provider waits for its answer, and staff for the message on their screen. */
async function steady(
  system: System,
  send: Generator,
  perSecond: number,
): Promise<{ answered: Spread; visible: Spread }> {
  const seconds = steadySeconds;
  const requests = webhooksOf(system.gatewayUrl, 'steady', Math.ceil(perSecond * seconds));
  const live = await system.stream('staff');
  const { sentAt, ...answered } = await send({ origin: system.gatewayUrl, requests, perSecond, seconds });
  const first = Math.min(customers, sentAt.length);
  const heardAt = await eventually(() => firstHeard(live, first));
  live.close();
  return { answered, visible: spreadOf(heardAt.map((at, n) => at - (sentAt[n] as number))) };
}

/** When the stream first told of a message of each of the first so many customers, since 1970. */
function firstHeard({ events }: LiveEvents, count: number): number[] {
  const received = events.filter(({ type }) => type === 'COMMUNICATION_RECEIVED').toReversed();
  const heard = new Map(received.map(({ data, heardAt }) => [(data as { subject: string }).subject, heardAt]));
  if (heard.size < count) throw new Error(`the stream told of ${heard.size} of ${count} messages`);
  return Array.from({ length: count }, (_, n) => performance.timeOrigin + (heard.get(customerId(n)) as number));
}

type Rounds = Awaited<ReturnType<typeof inTurns<Stormed, Written | undefined>>>;

function figuresOf(
  { system, floor }: Rounds,
  rate: number,
  { answered, visible }: { answered: Spread; visible: Spread },
): Figure[] {
  const pgbench = floor.filter((one) => one !== undefined);
  const last = system.at(-1) as Stormed;
  const rows = pgbench[0] ? `both write ${sameRows(last.rows, pgbench[0].rows)}` : 'pgbench is not on the path';
  const beside = (of: (one: Written) => number) => (pgbench.length > 0 ? { floor: medianOf(pgbench, of) } : {});
  const perMessage = (seconds: number) => (seconds * 1000) / messages;
  const inStorm = describeSpread(last.answered);
  return [
    {
      what: `signed webhook -> in the log, ${connections} connections`,
      unit: '/s',
      system: medianOf(system, ({ logged }) => logged),
      ...beside(({ perSecond }) => perSecond),
      aim: { of: 'ratio', atLeast: 0.6 },
      told: `${rows}; ${last.messagesPerTransaction.toFixed(1)} messages in a transaction of comms-service; answers ${inStorm}`,
    },
    {
      what: 'webhook: processor time of our processes',
      unit: 'ms',
      system: medianOf(system, ({ spent }) => perMessage(together(spent))),
      aim: { of: 'system', atMost: 1.8 },
      told: `${describeSpent(last.spent, messages)}; the generator beside it ${perMessage(last.generator).toFixed(2)}`,
    },
    {
      what: "webhook: Postgres' processor time",
      unit: 'ms',
      system: medianOf(system, ({ postgres }) => perMessage(postgres)),
      ...beside(({ postgres }) => perMessage(postgres)),
      aim: { of: 'ratio', atMost: 2 },
    },
    {
      what: `webhook: p99 of the answer at ${rate.toFixed(0)}/s`,
      unit: 'ms',
      system: answered.p99,
      told: `${steadyShare * 100} % of the storm; answer ${describeSpread(answered)}; on a live stream ${describeSpread(visible)}`,
    },
  ];
}
