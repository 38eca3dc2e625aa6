import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays, daysBetween } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { seeded } from '@ops/test-kit/random';
import { nextAlertOn, reached } from '../alerts/rungs.ts';
import { completeRenewal, reopenRenewal } from '../renewals/completion-service.ts';
import { cancelRenewal, patchRenewal, startRenewal } from '../renewals/renewal-service.ts';
import { watchExpiry } from '../renewals/watch-service.ts';
import { type RunningProcess, startProcess } from './test-processes.ts';
import { startWorld, type World } from './test-world.ts';

/**
 * A year, night by night. Another one, or a larger one, by hand:
 * `REFRESH_YEAR_SEED=7 REFRESH_YEAR_RENEWALS=10000 REFRESH_YEAR_NIGHTS=366`.
 */
const seed = Number(process.env.REFRESH_YEAR_SEED ?? 2026);
const count = Number(process.env.REFRESH_YEAR_RENEWALS ?? 150);
const nights = Number(process.env.REFRESH_YEAR_NIGHTS ?? 366);
const firstNight = '2027-06-01';
const changesADay = Math.max(3, Math.round(count / 100));

let world: World;
let doomed: Promise<RunningProcess>;
const batch = Math.max(5, Math.round(count / 250));
const newProcess = () => startProcess({ databaseUrl: world.databaseUrl, batch });
beforeAll(async () => {
  world = await startWorld();
  doomed = newProcess();
});
afterAll(async () => {
  await (await doomed).kill();
  await world.close();
});

const random = seeded(seed);
const ids: string[] = [];
/** Who was alerted of what: each once. */
const alerted = new Map<string, Rung[]>();

test(
  `a year of ${nights} nights and ${count} renewals, with seed ${seed}`,
  async () => {
    world.setToday(firstNight);
    await create(count);
    const happened = { missed: 0, killed: 0, together: 0, meanwhile: 0 };
    for (let n = 0; n < nights; n++) {
      const today = addDays(firstNight, n);
      world.setToday(today);
      const closed = await closedOnes();
      const kind = await night(today, happened);
      await rememberAlerts(today);
      if (kind === 'ran') await checkAll(today);
      if (kind !== 'meanwhile') expect(await closedOnes()).toEqual(closed);
      for (let change = 0; change < changesADay; change++) await changeOne(today);
    }
    expect(alerted.size).toBeGreaterThan(count / 4);
    console.log(`seed ${seed}: ${JSON.stringify(happened)}, ${alerted.size} dates alerted`);
  },
  6 * 3_600_000,
);

type Night = 'missed' | 'ran' | 'left' | 'meanwhile';

async function night(today: string, happened: Record<string, number>): Promise<Night> {
  const note = (what: string) => {
    happened[what] = (happened[what] ?? 0) + 1;
  };
  const chance = random.below(100);
  if (chance < 10) {
    note('missed');
    return 'missed';
  }
  if (chance < 20) {
    note('killed');
    await killedNight(today);
    // Its run is gone on with the same night, or abandoned the next one.
    if (random.below(2) === 0) return 'left';
  }
  if (chance >= 20 && chance < 25) {
    note('together');
    await Promise.all([world.night(today, batch), world.night(today, batch), world.night(today, batch)]);
  }
  if (chance >= 25 && chance < 30) {
    note('meanwhile');
    await Promise.all([world.night(today, batch), ...Array.from({ length: changesADay }, () => changeOne(today))]);
    await world.night(today);
    await checkAll(today);
    return 'meanwhile';
  }
  expect(await world.night(today, batch)).toMatchObject({ status: 'COMPLETED', counts: { set_aside: 0 } });
  return 'ran';
}

/** SIGKILL at some moment of it, or shortly after. */
async function killedNight(today: string): Promise<void> {
  const one = await doomed;
  const over = one.night(today);
  await new Promise((resolve) => setTimeout(resolve, random.below(80)));
  await one.kill();
  await over;
  doomed = newProcess();
}

const someDate = (today: string) => addDays(today, random.below(500) - 40);

async function create(many: number): Promise<void> {
  const today = world.deps.today();
  const wanted = Array.from({ length: many }, () => ({
    ...{
      customer_id: `C-${random.below(count)}`,
      service_type: random.pick(['RESIDENCE_PERMIT', 'INSURANCE_POLICY', 'OTHER']),
    },
    ...{ due_date: someDate(today), policy_id: null, notes: null, assigned_agent: null, superseded: [] },
  }));
  const made = await inTransaction(world.db, (trx) => watchExpiry(world.deps, trx, wanted));
  ids.push(...made.map(({ id }) => id));
}

/** What staff might do, allowed or not. */
async function changeOne(today: string): Promise<void> {
  const what = random.below(10);
  if (what < 3) return create(1);
  const id = random.pick(ids);
  const due_date = someDate(today);
  const work = async (trx: Trx) => {
    if (what < 5) await patchRenewal(world.deps, trx, id, { due_date }, undefined);
    else if (what < 6) await startRenewal(world.deps, trx, id, undefined);
    else if (what < 8) await completeOne(trx, id);
    else if (what < 9) await cancelRenewal(world.deps, trx, id, undefined);
    else await reopenRenewal(world.deps, trx, id, undefined);
  };
  await inTransaction(world.db, work).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
  });
}

async function completeOne(trx: Trx, id: string): Promise<void> {
  const { next_renewal } = await completeRenewal(world.deps, trx, id, {}, undefined);
  if (next_renewal && !ids.includes(next_renewal.id)) ids.push(next_renewal.id);
}

/** Each rung of each date once, none looser than one before it, and one a night. */
async function rememberAlerts(today: string): Promise<void> {
  const tonight = new Set<string>();
  for (const { type, data } of await world.told()) {
    if (type !== 'RENEWAL_TRIGGERED') continue;
    const { renewal_id, due_date, rung, days_until_due } = data as EventData<'RENEWAL_TRIGGERED'>;
    const before = alerted.get(`${renewal_id} ${due_date}`) ?? [];
    for (const one of before) expect(rungs.indexOf(rung)).toBeGreaterThan(rungs.indexOf(one));
    expect([days_until_due, tonight.has(renewal_id)]).toEqual([daysBetween(today, due_date), false]);
    tonight.add(renewal_id);
    alerted.set(`${renewal_id} ${due_date}`, [...before, rung]);
  }
  const [fired] = await world.db('alerts').where({ state: 'FIRED' }).count({ n: '*' });
  expect(Number(fired?.n)).toBe([...alerted.values()].reduce((sum, list) => sum + list.length, 0));
}

const closedOnes = async () =>
  await world.db('renewals').whereNotNull('closed_at').orderBy('id').select('id', 'status', 'version', 'next_alert_on');

/** The last refresh was of today. */
async function checkAll(today: string): Promise<void> {
  expect((await world.db('refreshed').first('as_of')).as_of).toBe(today);
  const { rows } = await world.db.raw(
    `SELECT r.id, r.due_date, r.status, r.next_alert_on, r.closed_at,
       (SELECT count(*)::int FROM compliance_flags f WHERE f.renewal_id = r.id AND f.cleared_at IS NULL) AS flags,
       ARRAY(SELECT a.rung FROM alerts a WHERE a.renewal_id = r.id AND a.due_date = r.due_date) AS recorded
     FROM renewals r`,
  );
  const wrong = rows.filter((row: Row) => !holds(row, today));
  expect(wrong).toEqual([]);
}

interface Row {
  due_date: string;
  status: string;
  next_alert_on: string | null;
  closed_at: Date | null;
  flags: number;
  recorded: Rung[];
}

function holds({ due_date, status, next_alert_on, closed_at, flags, recorded }: Row, today: string): boolean {
  if (closed_at !== null) return next_alert_on === null && flags === 0;
  const days = daysBetween(today, due_date);
  return (
    reached(days).every((rung) => recorded.includes(rung)) &&
    (status === 'OVERDUE') === days < 0 &&
    flags === (days < 0 ? 1 : 0) &&
    next_alert_on === nextAlertOn(due_date, recorded, days < 0) &&
    (next_alert_on === null || next_alert_on > today)
  );
}
