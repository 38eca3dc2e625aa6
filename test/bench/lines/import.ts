import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, oneRow, openDatabase } from '@ops/service-kit/database';
import type { System } from '@ops/test-system/system';
import { importFile } from '../csv-import.ts';
import { openTables } from '../floors/tables.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { describeSpent, ourProcesses, spentBetween, spentBy, spentByPostgres } from '../processor-time.ts';
import { median } from '../rounds.ts';
import { openSystem, settled } from '../traffic.ts';
import type { Undo } from '../undo.ts';

const renewalsEach = 20;

export const imported: Line = {
  name: 'import',
  title: `CSV import of renewals, ${renewalsEach} a customer, from the POST until the last is taken in; as many as --rows says`,
  floor: 'COPY of the same rows into the same table; it writes no events and no row of what became of each line',
  minutes: 0.5,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench);
  const renewals = bench.rows;
  const customers = Math.ceil(renewals / renewalsEach);
  const everybody = Array.from({ length: customers }, (_, n) => `C-imported-${n},Customer ${n}`);
  await importFile(system, 'customers', ['customer_id,name', ...everybody]);
  await settled(system);
  const processes = await ourProcesses();
  const db = system.database('renewals');
  const before = { spent: await spentBy(processes), postgres: await spentByPostgres(db) };
  const seconds = await importFile(system, 'renewals', [
    'customer_id,service_type,due_date,external_id',
    ...rowsOf(renewals, customers),
  ]);
  await settled(system);
  const spent = spentBetween(before.spent, await spentBy(processes));
  const postgres = (await spentByPostgres(db)) - before.postgres;
  const copied = await copyRows(bench, system);
  return [
    {
      what: `CSV import of ${renewals} renewals`,
      unit: '/s',
      system: renewals / seconds,
      floor: renewals / median(copied),
      aim: { of: 'ratio', atLeast: 0.3 },
      told: `one round of the system; processor time in ms a renewal: ${describeSpent({ ...spent, Postgres: postgres }, renewals)}`,
    },
  ];
}

const types = ['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY'];

/** Due within two years, from a year on: none is alerted of meanwhile. */
const rowsOf = (renewals: number, customers: number): string[] =>
  Array.from({ length: renewals }, (_, n) => {
    const due = new Date(Date.now() + (365 + (n % 365)) * 86_400_000).toISOString().slice(0, 10);
    return `C-imported-${n % customers},${types[n % types.length]},${due},X-${n}`;
  });

/** In seconds, each time into an empty table. The server reads and writes the file, where it and this process are one machine. */
async function copyRows({ undo, rounds }: Bench, system: System): Promise<number[]> {
  const { database } = await openTables(undo);
  const folder = await mkdtemp(join(tmpdir(), 'ops-bench-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o777);
  const file = join(folder, 'renewals.copy');
  const target = await asAdmin(undo, database.adminUrl);
  const source = await asAdmin(undo, await adminUrlOf(system.database('renewals'), database.adminUrl));
  await source.raw(`COPY renewals.renewals TO '${file}'`);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await target.raw('TRUNCATE renewals.renewals CASCADE');
    const began = performance.now();
    await target.raw(`COPY renewals.renewals FROM '${file}'`);
    took.push((performance.now() - began) / 1000);
  }
  return took;
}

async function asAdmin(undo: Undo, url: string): Promise<Db> {
  const db = openDatabase(url, { applicationName: 'bench', max: 1 });
  undo.add(() => db.destroy());
  // What triggers call is looked for as its owner would.
  await db.raw('SET search_path = renewals');
  return db;
}

/** Both are databases of one server. */
async function adminUrlOf(db: Db, beside: string): Promise<string> {
  const { name } = await oneRow<{ name: string }>(db, 'SELECT current_database() AS name');
  return Object.assign(new URL(beside), { pathname: `/${name}` }).href;
}
