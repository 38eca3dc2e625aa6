import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import type { World } from '../../services/renewals-service/test/world.ts';
import { checkpoint, startWorldOf, today, unlimited } from './many-renewals.ts';

/**
 * How long one night takes with so many active renewals, of which so many are to be alerted, beside one plain UPDATE that
 * writes days until due into every row of a copy with the same indexes.
 * `node test/bench/refresh.ts [--renewals 100000,1000000] [--due 12000]`
 */
const { values } = parseArgs({
  options: {
    renewals: { type: 'string', default: '100000,1000000' },
    due: { type: 'string', default: '12000' },
  },
});
const due = Number(values.due);
const totals = values.renewals.split(',').map(Number);
const copy = `
  CREATE TABLE copy (LIKE renewals INCLUDING ALL);
  ALTER TABLE copy ADD COLUMN days_until_due integer;
  INSERT INTO copy SELECT * FROM renewals`;

interface Cost {
  seconds: number;
  /** Processor time, which hardly depends on what else the machine is doing: of this process and its sessions. */
  cpu: number;
}

async function costOf(world: World, work: () => Promise<unknown>): Promise<Cost> {
  const before = await cpuSeconds(world);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const after = await cpuSeconds(world);
  // A session that ended meanwhile had been idle.
  const spent = [...after].map(([pid, total]) => total - (before.get(pid) ?? 0));
  return { seconds, cpu: spent.reduce((sum, one) => sum + one, 0) };
}

const clockTicks = 100;

/** By process. Not a number where the database is on another machine, or there is no /proc. */
async function cpuSeconds({ db }: World): Promise<Map<number, number>> {
  const { user, system } = process.cpuUsage();
  const { rows } = await db.raw('SELECT pid FROM pg_stat_activity WHERE datname = current_database()');
  const ofSessions = rows.map(async ({ pid }: { pid: number }) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [pid, (Number(fields[11]) + Number(fields[12])) / clockTicks] as const;
  });
  return new Map([[process.pid, (user + system) / 1e6], ...(await Promise.all(ofSessions))]);
}

const share = (one: number, other: number) => `${((one / other) * 100).toFixed(1)} %`;
const told = ({ seconds, cpu }: Cost) => `${seconds.toFixed(2)} s (processor ${cpu.toFixed(2)} s)`;

async function bench(total: number): Promise<void> {
  const world = await startWorldOf(total, due);
  try {
    await unlimited(world, async (query) => {
      await query(copy);
      await query('VACUUM ANALYZE copy');
    });
    await checkpoint(world);
    // Its sessions are there before, and stay: their time is counted.
    await Promise.all(Array.from({ length: 5 }, () => world.db.raw('SELECT pg_sleep(0.1)')));
    let run: Awaited<ReturnType<World['night']>> | undefined;
    const night = await costOf(world, async () => {
      run = await world.night(today);
    });
    if (run?.status !== 'COMPLETED' || run.counts.fired !== due)
      throw new Error(`the run ended so: ${JSON.stringify(run)}`);
    const again = await costOf(world, () => world.night(today));
    await checkpoint(world);
    const update = await unlimited(world, (query) =>
      costOf(world, () => query('UPDATE copy SET days_until_due = due_date - CURRENT_DATE')),
    );
    console.log(
      `${total} renewals, ${due} to be alerted: refresh ${told(night)}, with nothing to do ${told(again)}, ` +
        `plain UPDATE ${told(update)}: ${share(night.seconds, update.seconds)} (${share(night.cpu, update.cpu)})`,
    );
  } finally {
    await world.close();
  }
}

try {
  await startRun('benchmark');
  for (const total of totals) await bench(total);
} finally {
  await tearDown();
}
