import { expect } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { type Db, inTransaction } from '@ops/service-kit/database';
import { inTurns } from '@ops/service-kit/test/turns';
import { eventually } from '@ops/test-kit/eventually';
import { type Random, seeded } from '@ops/test-kit/random';
import { takeOutcomes } from '../src/alert-outcomes/alert-service.ts';
import { refresh } from '../src/refresh/refresh-service.ts';
import { drawChange, drawCreation, type Office } from './changes.ts';
import { type Alert, type Alerts, checkAll, closedOnes, digestOf, rememberAlerts } from './invariants.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { planned } from './statements-told.ts';
import type { World } from './world.ts';

export interface YearSettings {
  seed: number;
  /** Renewals on the first day. */
  count: number;
  nights: number;
}

/** Of a hundred nights so many; the others are a run alone. */
const unusual = { missed: 10, killed: 10, together: 5, meanwhile: 5 };
type Kind = keyof typeof unusual | 'alone';

/** What a killed night left behind. */
type Left = 'no run' | 'nothing done' | 'something done' | 'all done' | 'a finished run';

export interface PastYear {
  nights: Record<Kind, number>;
  killed: Record<Left, number>;
  datesAlerted: number;
  /** Alerts whose messages a hold kept back, and what went out after holds. */
  heldBack: number;
  afterHolds: number;
  /** Steps that followed alerts. */
  followed: number;
  /** The same for the same year. */
  digest: string;
}

interface Year extends Office {
  batch: number;
  changesADay: number;
  nights: Record<Kind, number>;
  killed: Record<Left, number>;
  heldBack: number;
  /** Held, and not told of yet. */
  late: Alert[];
  /** To be killed next. */
  doomed: Promise<RunningProcess>;
}

/** Lives through it night by night: what is promised holds after each of them. */
export async function liveYear(world: World, { seed, count, nights }: YearSettings): Promise<PastYear> {
  const firstNight = '2027-06-01';
  world.setToday(firstNight);
  const year = beginYear(world, seed, count);
  const alerted: Alerts = { rungs: new Map(), afterwards: new Set() };
  try {
    await drawCreation(year, count)(world.db);
    for (let n = 0; n < nights; n++) {
      world.setToday(addDays(firstNight, n));
      await liveNight(year, alerted);
      for (let change = 0; change < year.changesADay; change++) await drawChange(year)(world.db);
    }
  } finally {
    await (await year.doomed).kill();
  }
  const digest = await digestOf(world, year.ids);
  const { nights: kinds, killed, heldBack } = year;
  const afterHolds = [...alerted.afterwards].filter((key) => key.includes(' after_hold')).length;
  const followed = alerted.afterwards.size - afterHolds;
  return { nights: kinds, killed, datesAlerted: alerted.rungs.size, heldBack, afterHolds, followed, digest };
}

function beginYear(world: World, seed: number, count: number): Year {
  const batch = Math.max(1, Math.round(count / 500));
  return {
    world,
    random: seeded(seed),
    customers: count,
    ids: [],
    batch,
    changesADay: Math.max(3, Math.round(count / 100)),
    nights: { alone: 0, missed: 0, killed: 0, together: 0, meanwhile: 0 },
    heldBack: 0,
    late: [],
    killed: { 'no run': 0, 'nothing done': 0, 'something done': 0, 'all done': 0, 'a finished run': 0 },
    doomed: startProcess({ databaseUrl: world.databaseUrl, batch }),
  };
}

async function liveNight(year: Year, alerted: Alerts): Promise<void> {
  const { world, batch, nights } = year;
  const kind = drawKind(year.random);
  nights[kind]++;
  const closed = await closedOnes(world);
  const goesOn = await happening[kind](year);
  const run = goesOn && (await world.night(world.deps.today(), batch));
  const held = await rememberAlerts(world, alerted);
  if (kind !== 'meanwhile') expect(await closedOnes(world)).toEqual(closed);
  if (run) {
    expect(run).toMatchObject({ status: 'COMPLETED', counts: { set_aside: 0 } });
    await checkAll(world);
  }
  await tellHeld(year, held);
}

/** What notifier tells of alerts that fired while they were held; of some a night later. */
async function tellHeld(year: Year, held: Alert[]): Promise<void> {
  const { world, random, late } = year;
  const now = [...late.splice(0), ...held.filter((one) => random.below(4) > 0 || !late.push(one))];
  year.heldBack += now.length;
  const at = world.deps.now().toISOString();
  const reason = { code: 'held', message: 'Somebody is at it' };
  const told = now.map((alert) => planned({ ...alert, outcome: 'not_sent', reason }, at));
  await inTransaction(world.db, (trx) => takeOutcomes(world.deps, trx, told));
}

function drawKind(random: Random): Kind {
  const kinds = Object.entries(unusual).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind));
  return kinds[random.below(100)] ?? 'alone';
}

/** What a night brings, and whether a run goes on to its end then. */
const happening: Record<Kind, (year: Year) => Promise<boolean>> = {
  alone: async () => true,
  missed: async () => false,
  /** What is not gone on with the same night is abandoned by the next one. */
  async killed(year) {
    await killOne(year);
    return year.random.below(2) === 0;
  },
  async together(year) {
    await inTurns(year.world, year.random, [refreshing(year), refreshing(year)]);
    return true;
  },
  async meanwhile(year) {
    await inTurns(year.world, year.random, [refreshing(year), changing(year)]);
    return true;
  },
};

const refreshing = (year: Year) => (db: Db) => refresh(year.world.newRefresher(year.batch, db), { started_by: null });

function changing(year: Year) {
  const changes = Array.from({ length: year.changesADay }, () => drawChange(year));
  return async (db: Db) => {
    for (const change of changes) await change(db);
  };
}

/** About as many statements as a run has. */
const statementsOf = (batches: number) => 16 + 12 * batches;

/** SIGKILL before a statement of it that is drawn. */
async function killOne(year: Year): Promise<void> {
  const { world, random, batch } = year;
  const one = await year.doomed;
  const statements = statementsOf(Math.ceil((await countDue(world)) / batch));
  await one.night(world.deps.today(), random.below(statements));
  await one.kill();
  await untilNoticed(world);
  year.killed[await leftBehind(world)]++;
  year.doomed = startProcess({ databaseUrl: world.databaseUrl, batch });
}

async function countDue({ db, deps }: World): Promise<number> {
  const [due] = await db('renewals').where('next_alert_on', '<=', deps.today()).count({ n: '*' });
  return Number(due?.n);
}

/** The database has undone what the dead process did not finish. */
async function untilNoticed({ db }: World): Promise<void> {
  const connections = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'refresh'`;
  await eventually(async () => expect((await db.raw(connections)).rows).toEqual([]), { everyMs: 2 });
}

async function leftBehind(world: World): Promise<Left> {
  const run = await world.db('refresh_runs').where({ as_of: world.deps.today() }).first('status', 'counts');
  if (!run) return 'no run';
  if (run.status !== 'RUNNING') return 'a finished run';
  if (run.counts.looked_at === 0) return 'nothing done';
  return (await countDue(world)) > 0 ? 'something done' : 'all done';
}
