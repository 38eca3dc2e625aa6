import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { RenewalQueueQuery } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { startRun } from '@ops/test-system/global-setup';
import tearDown from '@ops/test-system/global-teardown';
import { listRenewals, summariseRenewals } from '../../services/renewals-service/src/queue/queue-service.ts';
import { startWorldOf, today } from './many-renewals.ts';

/**
 * How long the first page of the global queue takes with so many active renewals, beside the bare SQL of the same rows; and
 * the summary, beside a count of the table. Both in turns, so that both meet the same moments of the machine.
 * `node test/bench/queue.ts [--renewals 1000000] [--times 300]`
 */
const { values } = parseArgs({
  options: {
    renewals: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '300' },
  },
});
const total = Number(values.renewals);
const times = Number(values.times);
const limit = 50;

interface Case {
  name: string;
  query: Partial<RenewalQueueQuery>;
  where: string;
}

const cases: Case[] = [
  { name: 'all', query: {}, where: 'closed_at IS NULL' },
  ...[30, 180].map(
    (window): Case => ({
      name: `window of ${window} days`,
      query: { window: window as 30 | 180 },
      where: `closed_at IS NULL AND due_date <= DATE '${today}' + ${window}`,
    }),
  ),
  { name: 'at risk', query: { at_risk: true }, where: `closed_at IS NULL AND due_date <= DATE '${today}' + 30` },
  { name: 'overdue', query: { status: 'OVERDUE' }, where: `closed_at IS NULL AND status = 'OVERDUE'` },
  {
    name: 'one service type',
    query: { service_type: 'WORK_PERMIT', window: 90 },
    where: `closed_at IS NULL AND service_type = 'WORK_PERMIT' AND due_date <= DATE '${today}' + 90`,
  },
  {
    name: 'one agent',
    query: { assigned_agent: 'agent-7' },
    where: `closed_at IS NULL AND coalesce(assigned_agent, customer_agent, '') = 'agent-7'`,
  },
  {
    name: 'nobody',
    query: { assigned_agent: '' },
    where: `closed_at IS NULL AND coalesce(assigned_agent, customer_agent, '') = 'agent-19'`,
  },
];

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[all.length >> 1] as number;

async function inTurns(rounds: number, ours: () => Promise<unknown>, floor: () => Promise<unknown>): Promise<string> {
  const [mine, bare]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    mine.push(await millisecondsOf(ours));
    bare.push(await millisecondsOf(floor));
  }
  const [one, other] = [median(mine), median(bare)];
  return `${one.toFixed(2)} ms beside ${other.toFixed(2)} ms: ${(one / other).toFixed(2)} times`;
}

/** The rows, and what was last said about each. */
async function bareSql(db: Db, where: string): Promise<void> {
  const { rows } = await db.raw(`SELECT * FROM renewals WHERE ${where} ORDER BY due_date, id LIMIT ${limit + 1}`);
  await db.raw(
    `SELECT last.* FROM unnest(CAST(:ids AS uuid[])) AS asked (id) CROSS JOIN LATERAL (
       SELECT * FROM linked_messages WHERE renewal_id = asked.id ORDER BY occurred_at DESC LIMIT 1) last`,
    { ids: rows.map(({ id }: { id: string }) => id) },
  );
}

async function bench(): Promise<void> {
  const world = await startWorldOf(total, Math.min(12_000, total / 10));
  try {
    await world.night(today);
    // All but one, whose renewals are nobody's.
    const agents = Array.from({ length: 19 }, (_, n) => ({ id: `agent-${n}`, name: `Agent ${n}`, version: 1 }));
    await world.db('agents').insert(agents);
    const { db, deps } = world;
    for (const { name, query, where } of cases) {
      const ours = () => listRenewals(deps, db, { limit, ...query } as RenewalQueueQuery);
      console.log(`${total} renewals, ${name}: ${await inTurns(times, ours, () => bareSql(db, where))}`);
    }
    const count = () => db.raw('SELECT count(*) FROM renewals');
    console.log(`summary: ${await inTurns(10, () => summariseRenewals(deps, db, {}), count)} of a count of the table`);
  } finally {
    await world.close();
  }
}

try {
  await startRun('benchmark');
  await bench();
} finally {
  await tearDown();
}
