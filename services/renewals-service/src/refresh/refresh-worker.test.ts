import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { inTransaction } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { startProcess } from '../../test/processes.ts';
import { insertRenewals, startWorld, type World } from '../../test/world.ts';
import { patchRenewal } from '../renewals/renewal-service.ts';
import { startRefreshing } from './refresh-jobs.ts';
import { getRun, listRuns, resume } from './refresh-service.ts';
import { createRefresher, type Refresher } from './refresh-worker.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

const today = '2026-03-02';
const dueIn = (days: number) => ({ due_date: addDays(today, days) });
const runs = async () => (await listRuns(world.db, { limit: 200 })).data;
const alerted = async () =>
  (await world.told())
    .filter(({ type }) => type === 'RENEWAL_TRIGGERED')
    .map(({ data }) => data as EventData<'RENEWAL_TRIGGERED'>)
    .map(({ renewal_id, rung }) => [renewal_id, rung]);
const asOf = async () => (await world.db('refreshed').first('as_of')).as_of;

test('what falls due is OVERDUE, flagged once, and told before its alert, with the version it then has', async () => {
  const [id] = await insertRenewals(world.db, [
    { ...dueIn(-2), recorded: ['90', '60', '30', '14'], status: 'IN_PROGRESS' },
  ]);
  const { run_id } = await world.night(today);
  const told = await world.told();
  expect(told.map(({ type, subject }) => [type, subject])).toEqual([
    ['renewal.changed', 'C-1'],
    ['RENEWAL_TRIGGERED', 'C-1'],
  ]);
  expect(told[0]?.data).toMatchObject({ renewal_id: id, change: 'overdue', status: 'OVERDUE', version: 2 });
  expect(told[1]?.data).toEqual({
    customer_id: 'C-1',
    written_under: null,
    renewal_id: id,
    due_date: '2026-02-28',
    occurred_at: expect.stringMatching(/^2026-03-02T02:00:0/),
    service_type: 'RESIDENCE_PERMIT',
    service_label: 'Residence permit',
    service_labels: { de: 'Aufenthaltstitel' },
    assigned_agent: null,
    reminders: 'on',
    hold: null,
    rung: 'OVERDUE',
    days_until_due: -2,
    superseded: ['7'],
    silent: false,
    version: 2,
    number: null,
    run_id: run_id,
  });
  expect(await world.db('compliance_flags')).toMatchObject([
    { renewal_id: id, due_date: '2026-02-28', cleared_at: null },
  ]);
});

test('one whose last rung was passed over before it fell due becomes OVERDUE without an alert', async () => {
  const rungs = ['90', '60', '30', '14', '7', 'OVERDUE'] as const;
  await insertRenewals(world.db, [{ ...dueIn(-1), recorded: [...rungs] }]);
  expect(await world.night(today)).toMatchObject({ counts: { looked_at: 1, fired: 0, became_overdue: 1 } });
  expect((await world.told()).map(({ type }) => type)).toEqual(['renewal.changed']);
});

test('a row that cannot be treated is set aside and told, the others are alerted, and the next run tries again', async () => {
  const bad = [7, 8, 150];
  const given = Array.from({ length: 200 }, (_, n) => ({
    ...dueIn(30),
    customer_id: bad.includes(n) ? 'no id!' : `C-${n}`,
  }));
  const ids = await insertRenewals(world.db, given);
  const run = await world.night(today, 60);
  expect(run).toMatchObject({ status: 'COMPLETED', counts: { looked_at: 200, fired: 197, set_aside: 3 } });
  expect(await alerted()).toHaveLength(197);
  const { set_aside } = await getRun(world.db, run.run_id);
  expect(set_aside).toEqual(
    bad.map((n) => ({
      renewal_id: ids[n],
      customer_id: 'no id!',
      error: expect.stringContaining('customer_id: must be'),
    })),
  );
  await world.db('renewals').where({ customer_id: 'no id!' }).update({ customer_id: 'C-good' });
  expect(await world.night(today)).toMatchObject({ counts: { looked_at: 3, fired: 3, set_aside: 0 } });
});

test('a row that the database refuses is set aside too, in the words of the database', async () => {
  const [id] = await insertRenewals(world.db, [dueIn(5), dueIn(14)]);
  await world.db.raw(`ALTER TABLE alerts ADD CONSTRAINT nothing_at_7 CHECK (rung <> '7')`);
  const run = await world.night(today).finally(() => world.db.raw('ALTER TABLE alerts DROP CONSTRAINT nothing_at_7'));
  expect(run).toMatchObject({ counts: { fired: 1, set_aside: 1 } });
  expect((await getRun(world.db, run.run_id)).set_aside).toEqual([
    { renewal_id: id, customer_id: 'C-1', error: expect.stringMatching(/^new row for relation "alerts" violates/) },
  ]);
});

test('a row that staff hold is waited for, and treated by what they made of it', async () => {
  const [moved, done, other] = await insertRenewals(world.db, [dueIn(5), dueIn(6), dueIn(14)]);
  const trx = await world.db.transaction();
  world.setToday(today);
  await patchRenewal(world.deps, trx, moved as string, { due_date: addDays(today, 20) }, undefined);
  await trx('renewals')
    .where({ id: done })
    .update({ status: 'CANCELLED', closed_at: new Date(), closed_from: 'UPCOMING', next_alert_on: null });
  const night = world.night(today);
  await waitingForLock();
  expect(await trx('alerts').where({ state: 'FIRED' })).toEqual([]);
  await trx.commit();
  expect(await night).toMatchObject({ status: 'COMPLETED', counts: { looked_at: 2, fired: 2 } });
  expect((await alerted()).sort()).toEqual(
    [
      [moved, '30'],
      [other, '14'],
    ].sort(),
  );
});

async function waitingForLock(): Promise<void> {
  await eventually(async () => {
    const { rows } = await world.db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
}

test('an unfinished run of the same day is gone on with; of an earlier day it is abandoned', async () => {
  const ids = await insertRenewals(world.db, [dueIn(30), dueIn(14)]);
  world.setToday(today);
  const left = await world.newRefresher().begin({ started_by: 'agent-1' });
  expect(await world.night(today)).toMatchObject({ run_id: left?.run_id, started_by: 'agent-1', status: 'COMPLETED' });
  world.setToday(addDays(today, 7));
  await world.newRefresher().begin({ started_by: null });
  await world.night(addDays(today, 8));
  expect((await runs()).map(({ as_of, status }) => [as_of, status])).toEqual([
    [addDays(today, 8), 'COMPLETED'],
    [addDays(today, 7), 'ABANDONED'],
    [today, 'COMPLETED'],
  ]);
  expect(await alerted()).toEqual(
    [
      [ids[0], '30'],
      [ids[1], '14'],
      [ids[1], '7'],
    ].sort(byTime(ids)),
  );
  expect(await asOf()).toBe(addDays(today, 8));
});

/** Those of one batch are told by their ids. */
const byTime = (ids: string[]) => (one: (string | undefined)[], other: (string | undefined)[]) =>
  Number(one[1] === '7') - Number(other[1] === '7') || ids.indexOf(one[0] ?? '') - ids.indexOf(other[0] ?? '');

test('alerts carry their run, and the number the customer knows; that it is over is told once, with how many they were', async () => {
  const ids = await insertRenewals(world.db, [dueIn(30), dueIn(14), dueIn(60), dueIn(200)]);
  await world.db('renewals').where({ id: ids[0] }).update({ policy_id: 'P-1' });
  await world.db('renewals').where({ id: ids[1] }).update({ source_kind: 'work_permit', source_id: 'W-1' });
  const { run_id } = await world.night(today, 2);
  const told = (await world.told()).map(({ data }) => data as EventData<'RENEWAL_TRIGGERED'>);
  expect(told.map(({ renewal_id, number, ...data }) => [renewal_id, number, data.run_id]).sort()).toEqual(
    [
      [ids[0], 'P-1', run_id],
      [ids[1], 'W-1', run_id],
      [ids[2], null, run_id],
    ].sort(),
  );
  const over = { as_of: today, status: 'COMPLETED' };
  expect(await world.finished()).toMatchObject([{ run_id, alerts: 3, ...over }]);
  const again = await world.night(today);
  expect(await world.finished()).toMatchObject([{ run_id: again.run_id, alerts: 0, ...over }]);
});

test('of a run that failed after its alerts, and of one that is abandoned, it is told too', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  await fault();
  const failed = await world.night(today);
  await mended();
  await insertRenewals(world.db, [dueIn(30), dueIn(14)]);
  const left = world.newRefresher(1);
  const abandoned = await left.begin({ started_by: null });
  await left.stop();
  await world.night(addDays(today, 1));
  expect((await world.finished()).map(({ run_id, status, alerts }) => [run_id, status, alerts])).toEqual([
    [failed.run_id, 'FAILED', 1],
    [abandoned?.run_id, 'ABANDONED', 0],
    [expect.any(String), 'COMPLETED', 2],
  ]);
});

test('a run that is abandoned while somebody is at work on it stops, and they join the new one', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  world.setToday(today);
  const before = world.newRefresher();
  const left = await before.begin({ started_by: null });
  await world.night(addDays(today, 1));
  expect(await before.finish(left?.run_id as string)).toMatchObject({ status: 'ABANDONED', counts: { fired: 0 } });
});

test('a clock that is put back takes neither the date back nor alerts anybody again', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  await world.night(today);
  const again = await world.night(addDays(today, -40));
  expect([again.as_of, again.counts.looked_at, await asOf()]).toEqual([today, 0, today]);
  expect(await alerted()).toHaveLength(1);
});

test('of several replicas one runs at a time of day', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  world.setToday(today);
  const slot = new Date('2026-03-02T02:00:00Z');
  const turn = async () => {
    const refresher = world.newRefresher();
    const run = await refresher.begin({ started_by: null, slot });
    return run && refresher.finish(run.run_id);
  };
  await Promise.all([turn(), turn(), turn()]);
  expect(await turn()).toBeUndefined();
  expect([(await runs()).length, (await alerted()).length]).toEqual([1, 1]);
});

test('a process that is told to stop leaves the rest to the next one', async () => {
  await insertRenewals(
    world.db,
    Array.from({ length: 30 }, () => dueIn(30)),
  );
  world.setToday(today);
  const stopped = world.newRefresher(1);
  const run = await stopped.begin({ started_by: null });
  const finished = stopped.finish(run?.run_id as string);
  await stopped.stop();
  expect(await finished).toMatchObject({ status: 'RUNNING' });
  expect(await world.night(today)).toMatchObject({ run_id: run?.run_id, status: 'COMPLETED', counts: { fired: 30 } });
  expect(await alerted()).toHaveLength(30);
});

test('killed in the middle, a run is finished by the one who joined it', async () => {
  await insertRenewals(
    world.db,
    Array.from({ length: 400 }, () => dueIn(30)),
  );
  const doomed = await startProcess({ databaseUrl: world.databaseUrl, batch: 1 });
  const died = doomed.night(today);
  await eventually(async () => expect((await runs())[0]?.counts.looked_at).toBeGreaterThan(3));
  const joined = world.night(today, 1);
  await doomed.kill();
  await died;
  expect(await joined).toMatchObject({ status: 'COMPLETED', counts: { looked_at: 400, fired: 400 } });
  expect([(await runs()).length, (await alerted()).length]).toEqual([1, 400]);
});

const logger = createLogger('test', 'silent');
const start = (cron: string | undefined, now: string) => {
  const { db } = world;
  const deps = { ...world.deps, db, logger, now: () => new Date(now) };
  const refresher = createRefresher({ ...deps, committed: () => {}, batch: 1_000 });
  return startRefreshing({ ...deps, cron, refresher, timeZone: 'UTC', everyMs: 20 });
};
test.each([
  [false, 3],
  [true, 5],
])(
  'when it is %s that people are being served, 120 renewals and two looks for others are %i steps',
  async (isBusy, expected) => {
    await insertRenewals(
      world.db,
      Array.from({ length: 120 }, () => dueIn(30)),
    );
    world.setToday(today);
    let steps = 0;
    const committed = () => {
      steps += 1;
    };
    const deps = { ...world.deps, db: world.db, logger, committed, batch: 1_000, isBusy: () => isBusy };
    const refresher = createRefresher(deps);
    const run = await refresher.begin({ started_by: null });
    expect(await refresher.finish(run?.run_id as string)).toMatchObject({
      status: 'COMPLETED',
      counts: { fired: 120 },
    });
    expect(steps).toBe(expected);
  },
);

const stop = (jobs: ReturnType<typeof start>) => Promise.all(jobs.map((job) => job.stop()));

test('a run that ends while somebody is about to go on with it is not run again', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  const [worker, other] = [world.newRefresher(), world.newRefresher()];
  const run = await worker.begin({ started_by: null });
  const late: Refresher = {
    ...other,
    begin: (start) => worker.finish(run?.run_id as string).then(() => other.begin(start)),
  };
  await resume(late, world.db);
  expect((await runs()).map(({ status }) => status)).toEqual(['COMPLETED']);
});

test('a missed night is made up for at start, once, and not before its time', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  await world.night(addDays(today, -1));
  await world.told();
  world.setToday(today);
  await stop(start('0 2 * * *', `${today}T01:59:00Z`));
  await stop(start(undefined, `${today}T12:00:00Z`));
  expect(await runs()).toHaveLength(1);
  const replicas = [1, 2, 3].map(() => start('0 2 * * *', `${today}T07:00:00Z`));
  await eventually(async () => expect(await asOf()).toBe(today));
  await Promise.all(replicas.map(stop));
  expect((await runs()).map(({ as_of, started_by }) => [as_of, started_by])).toEqual([
    [today, null],
    [addDays(today, -1), null],
  ]);
  expect(await alerted()).toHaveLength(1);
});

test('an unfinished run is gone on with at start and, when another process left it, within minutes, whatever the schedule', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  world.setToday(today);
  const left = await world.newRefresher().begin({ started_by: 'agent-1' });
  const jobs = start(undefined, `${today}T02:00:30Z`);
  await eventually(async () => expect(await runs()).toMatchObject([{ run_id: left?.run_id, status: 'COMPLETED' }]));
  await insertRenewals(world.db, [dueIn(30)]);
  const orphan = await world.newRefresher().begin({ started_by: 'agent-1' });
  await stop(jobs);
  const later = start(undefined, `${today}T02:02:00Z`);
  await eventually(async () =>
    expect((await runs())[0]).toMatchObject({ run_id: orphan?.run_id, status: 'COMPLETED' }),
  );
  await stop(later);
});

/** What no run gets past. */
const fault = async () => world.db.raw('ALTER TABLE refreshed ADD CONSTRAINT never CHECK (as_of IS NULL)');
const mended = async () => world.db.raw('ALTER TABLE refreshed DROP CONSTRAINT IF EXISTS never');
afterEach(mended);

test('a figure that cannot be had stops no night', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  const rename = (from: string, to: string) => world.db.raw(`ALTER TABLE ${from} RENAME TO ${to}`);
  await rename('followed_tasks', 'out_of_reach');
  try {
    expect(await world.night(today)).toMatchObject({ status: 'COMPLETED', at_risk: null, counts: { fired: 1 } });
  } finally {
    await rename('out_of_reach', 'followed_tasks');
  }
});

test('what fails for all ends the run as FAILED, with the reason, and the next one begins anew', async () => {
  await insertRenewals(world.db, [dueIn(30)]);
  await fault();
  const run = await world.night(today);
  expect(run).toMatchObject({ status: 'FAILED', failure: expect.stringMatching(/^new row for relation "refreshed"/) });
  await mended();
  expect(await world.night(today)).toMatchObject({ status: 'COMPLETED' });
  expect(await inTransaction(world.db, async () => (await alerted()).length)).toBe(1);
});

test.each(['0 2 * * *', undefined])(
  'a failed run is tried again once in ten minutes, with %s as the schedule',
  async (cron) => {
    await insertRenewals(world.db, [dueIn(30)]);
    const statuses = async () => (await runs()).map(({ status }) => status);
    await fault();
    await world.night(today);
    await stop(start(cron, `${today}T02:09:59Z`));
    expect(await statuses()).toEqual(['FAILED']);
    const replicas = [1, 2, 3].map(() => start(cron, `${today}T02:10:01Z`));
    await eventually(async () => expect(await statuses()).toEqual(['FAILED', 'FAILED']));
    await Promise.all(replicas.map(stop));
    expect(await statuses()).toEqual(['FAILED', 'FAILED']);
    await mended();
    const later = start(cron, `${today}T02:20:01Z`);
    await eventually(async () => expect(await statuses()).toEqual(['COMPLETED', 'FAILED', 'FAILED']));
    await stop(later);
    await stop(start(cron, `${today}T02:30:00Z`));
    expect(await runs()).toHaveLength(3);
  },
);
