import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import type { Bench, Line } from './line.ts';
import { alerts } from './lines/alerts.ts';
import { beside } from './lines/beside.ts';
import { effect, outbox } from './lines/bus.ts';
import { gateway } from './lines/gateway.ts';
import { imported } from './lines/import.ts';
import { list } from './lines/list.ts';
import { memory } from './lines/memory.ts';
import { post } from './lines/post.ts';
import { queue } from './lines/queue.ts';
import { refresh } from './lines/refresh.ts';
import { start } from './lines/start.ts';
import { webhook } from './lines/webhook.ts';
import { printed, type Row, rowOf } from './table.ts';
import { createUndo, type Undo } from './undo.ts';

/**
 * One table of what the system does and how fast, each line beside its floor from the same run.
 * `npm run bench -- [LINE...] [--rounds N] [--renewals N] [--rows N] [--minutes N] [--bus rabbitmq|postgres] [--json FILE]`
 */
const lines: Line[] = [
  webhook,
  post,
  list,
  gateway,
  alerts,
  outbox,
  effect,
  queue,
  refresh,
  imported,
  beside,
  memory,
  start,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    renewals: { type: 'string', default: '1000000' },
    rows: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '0' },
    bus: { type: 'string', default: 'rabbitmq' },
    json: { type: 'string', default: join(import.meta.dirname, '..', '..', '.tools', 'bench.json') },
  },
  args: process.argv.slice(process.argv[2] === 'bench' ? 3 : 2),
});

const asked = positionals.length === 0 ? lines : positionals.map(lineCalled);
const options = {
  rounds: countAsked('rounds', 1),
  renewals: countAsked('renewals', 100_000),
  rows: countAsked('rows', 1_000),
  minutes: countAsked('minutes', 0),
  bus: busAsked(values.bus),
};

function lineCalled(name: string): Line {
  const found = lines.find((line) => line.name === name);
  const told = lines.map((line) => `  ${line.name.padEnd(10)} ${line.title}; some ${line.minutes} minutes`);
  if (!found) throw new Error(`${name} is no line of the table. There are:\n${told.join('\n')}`);
  return found;
}

function countAsked(name: 'rounds' | 'renewals' | 'rows' | 'minutes', least: number): number {
  const count = Number(values[name]);
  if (!Number.isInteger(count) || count < least) throw new Error(`--${name} is a whole number, ${least} or more`);
  return count;
}

function busAsked(bus: string): Bench['bus'] {
  if (bus !== 'rabbitmq' && bus !== 'postgres') throw new Error(`--bus is rabbitmq or postgres, not ${bus}`);
  return bus;
}

async function measureAll(undo: Undo): Promise<Row[]> {
  undo.add(tearDown);
  await startRun('benchmark');
  const rows: Row[] = [];
  for (const line of asked) rows.push(...(await measureOne(line, undo)));
  return rows;
}

async function measureOne(line: Line, undo: Undo): Promise<Row[]> {
  const began = performance.now();
  const own = createUndo();
  undo.add(own.all);
  const figures = await line.measure({ ...options, undo: own });
  await own.all();
  console.error(`${line.name}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
  return figures.map((figure) => rowOf(line, figure));
}

async function keep(rows: readonly Row[]): Promise<void> {
  await mkdir(dirname(values.json), { recursive: true });
  await writeFile(values.json, `${JSON.stringify({ at: new Date(), ...options, rows }, undefined, 2)}\n`);
}

const undo = createUndo();
const interrupted = Promise.withResolvers<never>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.reject(new Error(`ended by ${signal}`)));
try {
  const rows = await Promise.race([measureAll(undo), interrupted.promise]);
  await keep(rows);
  console.log(`\n${printed(rows, asked)}\n\n${values.json}`);
} finally {
  await undo.all();
}
