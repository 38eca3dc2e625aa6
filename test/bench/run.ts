import { parseArgs } from 'node:util';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import { startSystem } from '@ops/test-system/system';
import { type Floor, measureFloor } from './floor.ts';
import { customersOf, introduce, type Plan } from './load.ts';
import { type Measured, measureSystem } from './measure.ts';
import { describeRows, sameRows } from './rows.ts';

/**
 * How fast messages come into the log, from the provider's POST on, beside pgbench writing the same rows; and how soon a
 * screen shows one. `npm run bench -- [--bus rabbitmq|postgres] [--messages N] [--connections N] [--rate N] [--seconds N]`
 */
const { values } = parseArgs({
  options: {
    bus: { type: 'string', multiple: true, default: ['rabbitmq', 'postgres'] },
    messages: { type: 'string', default: '5000' },
    connections: { type: 'string', default: '8' },
    rate: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '20' },
  },
  args: process.argv.slice(process.argv[2] === 'bench' ? 3 : 2),
});
const plan: Plan = {
  messages: countOf('messages'),
  connections: countOf('connections'),
  rate: countOf('rate'),
  seconds: countOf('seconds'),
};
const buses = values.bus.map((bus) => {
  if (bus !== 'rabbitmq' && bus !== 'postgres') throw new Error(`--bus is rabbitmq or postgres, not ${bus}`);
  return bus;
});

function countOf(name: 'messages' | 'connections' | 'rate' | 'seconds'): number {
  const count = Number(values[name]);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${name} is a whole number above 0`);
  return count;
}

type Undo = () => Promise<unknown>;

async function run(undo: Undo[]): Promise<void> {
  undo.push(tearDown);
  await startRun('benchmark');
  for (const bus of buses) {
    const measured = await benchSystem(bus, undo);
    reportSystem(bus, measured);
    await compareWithPgbench(measured, undo);
  }
}

async function benchSystem(bus: 'rabbitmq' | 'postgres', undo: Undo[]): Promise<Measured> {
  const env = { RATE_LIMIT_PER_MINUTE: '1000000' };
  const system = await startSystem({ bus, env });
  undo.push(system.stop);
  await introduce(system, customersOf(plan));
  const measured = await measureSystem(system, plan);
  undo.pop();
  await system.stop();
  return measured;
}

function reportSystem(bus: string, { accepted, logged, answered, visible, rows, cpu, ...measured }: Measured): void {
  const spread = ({ p50, p99 }: typeof visible) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  console.log(
    `\n${bus} bus: ${plan.messages} messages of ${customersOf(plan)} customers, ${plan.connections} connections`,
  );
  line('accepted', `${accepted.toFixed(0)} a second`);
  line('logged', `${logged.toFixed(0)} a second, ${measured.messagesPerTransaction} in a transaction`);
  line('processor time for a message', cpu);
  line(`POST to its answer, ${plan.rate} a second`, spread(answered));
  line(`POST to the live stream, ${plan.rate} a second`, spread(visible));
  line('rows for a message', describeRows(rows));
}

/** Each message logged by itself, then as many at a time as comms-service came to take. */
async function compareWithPgbench(measured: Measured, undo: Undo[]): Promise<void> {
  for (const batch of new Set([1, measured.messagesPerTransaction])) {
    const floor = await measureFloor({ ...plan, batch, samples: measured.samples }, undo);
    if (floor === undefined) return line('pgbench', 'not on the path, so there is nothing to compare with');
    line(`pgbench, ${batch} in a transaction`, compared(measured, floor));
  }
}

function compared(system: Measured, { messagesPerSecond, rows }: Floor): string {
  if (!sameRows(system.rows, rows)) throw new Error(`pgbench wrote other rows than the system: ${describeRows(rows)}`);
  const share = ((system.logged / messagesPerSecond) * 100).toFixed(0);
  return `${messagesPerSecond.toFixed(0)} a second; the system does ${share} % of it`;
}

const line = (name: string, figure: string) => console.log(`  ${name.padEnd(45)} ${figure}`);

function failed(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}

const undo: Undo[] = [];
const interrupted = Promise.withResolvers<never>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.reject(new Error(`ended by ${signal}`)));
try {
  await Promise.race([run(undo), interrupted.promise]);
} finally {
  for (const step of undo.reverse()) await step().catch(failed);
}
