import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openDatabase } from '@ops/service-kit/database';
import { startRun } from '@ops/test-kit/global-setup';
import tearDown from '@ops/test-kit/global-teardown';
import { startWorld, type World } from '../../services/renewals-service/src/refresh/test-world.ts';

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
const today = '2026-03-02';

/** Those to be alerted lie evenly on the six thresholds; the others wait for a later day. */
const fill = (total: number) => `
  INSERT INTO renewals (id, customer_id, service_type, due_date, anchor_day, status, policy_id, notes, assigned_agent,
                        next_alert_on, created_on, created_at, updated_at)
  SELECT CAST(lpad(to_hex(n), 12, '0') || '7000' || '8' || substr(md5(CAST(n AS text)), 1, 15) AS uuid),
         'C-' || n / 3, (ARRAY['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY'])[1 + n % 3], d.due_date,
         extract(day FROM d.due_date), CASE WHEN n % 5 = 0 THEN 'IN_PROGRESS' ELSE 'UPCOMING' END,
         CASE WHEN n % 3 = 2 THEN 'P-' || n END, CASE WHEN n % 4 = 0 THEN 'Papers are with the office' END,
         'agent-' || n % 20, CASE WHEN d.days < 91 THEN DATE '${today}' ELSE d.due_date - 90 END,
         DATE '2025-01-01', now(), now()
  FROM generate_series(1, ${total}) n,
       LATERAL (SELECT CASE WHEN n % ${Math.floor(total / due)} = 0 AND n / ${Math.floor(total / due)} <= ${due}
                            THEN (ARRAY[90, 60, 30, 14, 7, -1])[1 + (n / ${Math.floor(total / due)}) % 6]
                            ELSE 91 + abs(hashint4(n)) % 640 END AS days) a,
       LATERAL (SELECT a.days, DATE '${today}' + a.days AS due_date) d`;

/** What earlier nights decided. */
const ledger = `
  INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, decided_at)
  SELECT id, due_date, rung, 'FIRED', CAST(rung AS int), now()
  FROM renewals, unnest(ARRAY['90', '60', '30', '14', '7']) rung
  WHERE due_date - DATE '${today}' < CAST(rung AS int)`;

const copy = `
  CREATE TABLE copy (LIKE renewals INCLUDING ALL);
  ALTER TABLE copy ADD COLUMN days_until_due integer;
  INSERT INTO copy SELECT * FROM renewals`;

type Query = (text: string) => Promise<unknown>;

/** Past the limits of a request. */
async function unlimited<T>({ db }: World, work: (query: Query) => Promise<T>): Promise<T> {
  const connection = await db.client.acquireConnection();
  const query: Query = (text) => connection.query({ text, query_timeout: 2 ** 31 - 1 });
  await query('SET statement_timeout = 0');
  return work(query).finally(() => db.client.releaseConnection(connection));
}

/** So that neither pays for what was written before it. */
async function checkpoint({ adminUrl }: World): Promise<void> {
  const admin = openDatabase(adminUrl, { applicationName: 'bench', max: 1 });
  await admin.raw('CHECKPOINT').finally(() => admin.destroy());
}

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
  const world = await startWorld();
  try {
    await unlimited(world, async (query) => {
      for (const statement of [fill(total), ledger, copy]) await query(statement);
      await query('VACUUM ANALYZE renewals, alerts, copy');
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
  await startRun({ durable: true });
  for (const total of totals) await bench(total);
} finally {
  await tearDown();
}
