import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import { scriptOf } from './floor-script.ts';
import { customerId, customersOf, type Plan } from './load.ts';
import type { Samples } from './measure.ts';
import { type Rows, rowsAdded, rowsOf } from './rows.ts';

export interface FloorPlan extends Plan {
  /** Messages logged in one transaction. */
  batch: number;
  samples: Samples;
}

export interface Floor {
  messagesPerSecond: number;
  /** Written for one message, by table. */
  rows: Rows;
}

/** The same rows in the same tables by pgbench alone, as many sessions at once as there were connections. */
export async function measureFloor(plan: FloorPlan, undo: (() => Promise<unknown>)[]): Promise<Floor | undefined> {
  const database = await createTestDatabase();
  undo.push(database.drop);
  const floor = await inTables(database, (ingest, comms) => measureIn(database, ingest, comms, plan));
  undo.pop();
  await database.drop();
  return floor;
}

/** The services' own migrations make them, so they have the same indexes and references. */
async function inTables<T>(database: TestDatabase, work: (ingest: Db, comms: Db) => Promise<T>): Promise<T> {
  const open = (url: string) => openDatabase(url, { applicationName: 'bench', max: 2 });
  const ingest = open(database.urls.ingest);
  const comms = open(database.urls.comms);
  try {
    return await work(ingest, comms);
  } finally {
    await Promise.all([ingest.destroy(), comms.destroy()]);
  }
}

async function measureIn({ adminUrl }: TestDatabase, ingest: Db, comms: Db, plan: FloorPlan) {
  const customers = customersOf(plan);
  await addCustomers(comms, customers);
  const counted = async () => ({ ...(await rowsOf(ingest, 'ingest')), ...(await rowsOf(comms, 'comms')) });
  const before = await counted();
  const rounds = Math.ceil(plan.messages / plan.connections / plan.batch);
  const perSecond = await runPgbench(adminUrl, scriptOf(plan.batch, customers), plan, rounds);
  if (perSecond === undefined) return undefined;
  const rows = rowsAdded(before, await counted(), rounds * plan.connections * plan.batch);
  return { messagesPerSecond: perSecond * plan.batch, rows };
}

async function addCustomers(comms: Db, customers: number): Promise<void> {
  const now = new Date();
  const rows = Array.from({ length: customers }, (_, n) => ({
    id: customerId(n),
    name: `Customer ${n}`,
    name_folded: `customer ${n}`,
    do_not_contact: false,
    version: 1,
    created_at: now,
    updated_at: now,
  }));
  await comms.batchInsert('customers', rows, 500);
}

const longestMs = 600_000;

/** Rounds a second; undefined when the machine has no pgbench. */
async function runPgbench(url: string, script: string, { connections, samples }: FloorPlan, rounds: number) {
  const folder = await mkdtemp(join(tmpdir(), 'ops-bench-'));
  const file = join(folder, 'messages.sql');
  await writeFile(file, script);
  const values = Object.entries({ n: '0', ...samples }).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const { code, output } = await outputOf(
    'pgbench',
    ['-n', '-M', 'extended', '-c', `${connections}`, '-t', `${rounds}`, '-f', file, ...values],
    environmentOf(url),
  ).finally(() => rm(folder, { recursive: true, force: true }));
  if (code === undefined) return undefined;
  const [, perSecond] = /^tps = ([\d.]+)/m.exec(output) ?? [];
  if (code !== 0 || perSecond === undefined) throw new Error(`pgbench ended with ${code}:\n${output}`);
  return Number(perSecond);
}

function environmentOf(url: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname } = new URL(url);
  const where = { PGHOST: hostname, PGPORT: port || '5432', PGDATABASE: pathname.slice(1) };
  return { PATH: process.env.PATH, ...where, PGUSER: username, PGPASSWORD: decodeURIComponent(password) };
}

async function outputOf(program: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(longestMs),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  try {
    const [code] = await once(child, 'close');
    return { code: code as number | null, output };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { code: undefined, output };
    throw error;
  }
}
