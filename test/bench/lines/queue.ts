import type { RenewalQueueQuery } from '@ops/contracts/resources/renewal';
import { type Db, rows } from '@ops/service-kit/database';
import { listRenewals, summariseRenewals } from '../../../services/renewals-service/src/queue/queue-service.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { startWorldOf, today } from '../many-renewals.ts';
import { costOf } from '../processor-time.ts';
import { inTurns, median } from '../rounds.ts';

/** For each round asked for. */
const timesARound = 50;
const limit = 50;

export const queue: Line = {
  name: 'queue',
  title:
    'first page of the global queue, and its summary, with a million renewals; as a service of ours makes them, without HTTP',
  floor: 'the bare SQL of the same rows and of what was last said about each; a count of the table',
  minutes: 2,
  measure,
};

interface Case {
  name: string;
  query: Partial<RenewalQueueQuery>;
  where: string;
}

const until = (days: number) => `closed_at IS NULL AND due_date <= DATE '${today}' + ${days}`;
const ofAgent = (id: string) => `closed_at IS NULL AND coalesce(assigned_agent, customer_agent, '') = '${id}'`;

const cases: Case[] = [
  { name: 'all', query: {}, where: 'closed_at IS NULL' },
  { name: 'window of 30 days', query: { window: 30 }, where: until(30) },
  { name: 'window of 180 days', query: { window: 180 }, where: until(180) },
  { name: 'at risk', query: { at_risk: true }, where: until(30) },
  { name: 'overdue', query: { status: 'OVERDUE' }, where: `closed_at IS NULL AND status = 'OVERDUE'` },
  {
    name: 'one service type',
    query: { service_type: 'WORK_PERMIT', window: 90 },
    where: `service_type = 'WORK_PERMIT' AND ${until(90)}`,
  },
  { name: 'one agent', query: { assigned_agent: 'agent-7' }, where: ofAgent('agent-7') },
  // Whose agent nobody knows any more.
  { name: 'nobody', query: { assigned_agent: '' }, where: ofAgent('agent-19') },
];

async function measure({ rounds, renewals, undo }: Bench): Promise<Figure[]> {
  const world = await startWorldOf(renewals, Math.min(12_000, renewals / 10));
  undo.add(world.close);
  await world.night(today);
  const agents = Array.from({ length: 19 }, (_, n) => ({ id: `agent-${n}`, name: `Agent ${n}`, version: 1 }));
  await world.db('agents').insert(agents);
  const { db, deps } = world;
  const figures: Figure[] = [];
  for (const { name, query, where } of cases) {
    const page = () => listRenewals(deps, db, { limit, ...query } as RenewalQueueQuery);
    const compared = await compare(db, rounds * timesARound, page, () => bareSql(db, where));
    figures.push({ what: `first page of the queue: ${name}`, ...compared, aim: { of: 'ratio', atMost: 1.3 } });
  }
  const count = () => db('renewals').count();
  const summary = await compare(db, rounds * 3, () => summariseRenewals(deps, db, {}), count);
  return [...figures, { what: 'summary of the queue', ...summary, aim: { of: 'system', atMost: 20 } }];
}

async function compare(db: Db, times: number, ours: () => Promise<unknown>, floor: () => Promise<unknown>) {
  const measured = await inTurns(
    times,
    () => millisecondsOf(ours),
    () => millisecondsOf(floor),
  );
  const told = `processor time ${await spentOn(db, times, ours)}; the floor ${await spentOn(db, times, floor)}`;
  return { unit: 'ms', system: median(measured.system), floor: median(measured.floor), told };
}

async function spentOn(db: Db, times: number, work: () => Promise<unknown>): Promise<string> {
  const { own, postgres } = await costOf(db, async () => {
    for (let n = 0; n < times; n++) await work();
  });
  const [ours, theirs] = [own, postgres].map((seconds) => ((seconds / times) * 1000).toFixed(2));
  return `${ours} ms of this process, which plays renewals-service, and ${theirs} of Postgres`;
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function bareSql(db: Db, where: string): Promise<void> {
  const page = `SELECT * FROM renewals WHERE ${where} ORDER BY due_date, id LIMIT ${limit + 1}`;
  const found = await rows<{ id: string }>(db, page);
  await rows(
    db,
    `SELECT last.* FROM unnest(CAST(:ids AS uuid[])) AS asked (id) CROSS JOIN LATERAL (
       SELECT * FROM linked_messages WHERE renewal_id = asked.id ORDER BY occurred_at DESC LIMIT 1) last`,
    { ids: found.map(({ id }) => id) },
  );
}
