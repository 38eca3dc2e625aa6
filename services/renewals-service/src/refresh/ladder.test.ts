import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { insertRenewals, startWorld, type World } from './test-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

const today = '2026-03-02';
/** Of each number of days one renewal. */
const allDays = Array.from({ length: 801 }, (_, n) => 400 - n);
let ids: string[];
beforeEach(async () => {
  ids = await insertRenewals(
    world.db,
    allDays.map((days) => ({ due_date: addDays(today, days) })),
  );
});

type Alert = [rung: string, superseded: string[]];

/** The specification's table, by hand. */
const table: [from: number, rung: string][] = [
  [90, '90'],
  [60, '60'],
  [30, '30'],
  [14, '14'],
  [7, '7'],
  [-1, 'OVERDUE'],
];
const crossed = (days: number, earlier: number) =>
  table.filter(([from]) => days <= from && earlier > from).map(([, rung]) => rung);
function expected(days: number, earlier: number): Alert[] {
  const rungs = crossed(days, earlier);
  const mostUrgent = rungs.pop();
  return mostUrgent === undefined ? [] : [[mostUrgent, rungs]];
}

/** What each renewal was alerted of since it was last asked, by days until due. */
async function alerts(): Promise<Map<number, Alert[]>> {
  const daysOf = new Map(ids.map((id, n) => [id, allDays[n] as number]));
  const told = new Map(allDays.map((days) => [days, [] as Alert[]]));
  for (const { type, data } of await world.told()) {
    if (type !== 'RENEWAL_TRIGGERED') continue;
    const { renewal_id, rung, superseded, days_until_due } = data as EventData<'RENEWAL_TRIGGERED'>;
    const days = daysOf.get(renewal_id) as number;
    expect(days_until_due).toBe(days);
    told.get(days)?.push([rung, superseded]);
  }
  return told;
}

/** By days, so that a difference says which. */
const expectedOf = (earlier: (days: number) => number) =>
  new Map(allDays.map((days) => [days, expected(days, earlier(days))]));

test('on each day, the nightly run alerts exactly those that cross a threshold that day', async () => {
  await world.night(addDays(today, -1));
  await world.told();
  await world.night(today);
  expect(await alerts()).toEqual(expectedOf((days) => days + 1));
  await everyRungOnce();
});

test('a first run, however late, alerts once, of the most urgent threshold, and passes the others over', async () => {
  await world.night(today);
  expect(await alerts()).toEqual(expectedOf(() => Number.POSITIVE_INFINITY));
  await everyRungOnce();
});

test.each([1, 3, 10, 100])(
  'after %i missed nights, each is alerted once, of the most urgent one passed',
  async (nights) => {
    await world.night(addDays(today, -nights - 1));
    await world.told();
    await world.night(today);
    expect(await alerts()).toEqual(expectedOf((days) => days + nights + 1));
    await everyRungOnce();
  },
);

test('run twice, a night alerts once', async () => {
  await world.night(today);
  await world.told();
  const again = await world.night(today);
  expect(await world.told()).toEqual([]);
  expect(again).toMatchObject({ status: 'COMPLETED', counts: { looked_at: 0, fired: 0 } });
});

test('run three times at once, in as many processes and small batches, a night is one run and alerts once', async () => {
  world.setToday(today);
  const processes = [1, 2, 3].map(() => world.newRefresher(37));
  const begun = await Promise.all(processes.map((one) => one.begin({ started_by: 'agent-1' })));
  expect(new Set(begun.map((run) => run?.run_id)).size).toBe(1);
  const runs = await Promise.all(processes.map((one) => one.finish(begun[0]?.run_id as string)));
  expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(1);
  expect(await alerts()).toEqual(expectedOf(() => Number.POSITIVE_INFINITY));
  expect(runs[0]).toMatchObject({
    status: 'COMPLETED',
    counts: { looked_at: 491, fired: 491, became_overdue: 400, set_aside: 0, by_rung: { OVERDUE: 400, '7': 8 } },
  });
  await everyRungOnce();
});

/** The ledger holds all that is reached, status and flag follow the date, and nothing is left to do. */
async function everyRungOnce(): Promise<void> {
  const { rows } = await world.db.raw(
    `SELECT r.due_date - CAST(? AS date) AS days, r.status, f.id IS NOT NULL AS flagged, r.version, r.next_alert_on,
       ARRAY(SELECT a.rung FROM alerts a WHERE a.renewal_id = r.id ORDER BY a.rung) AS rungs
     FROM renewals r LEFT JOIN compliance_flags f ON f.renewal_id = r.id ORDER BY days DESC`,
    [today],
  );
  expect(rows).toEqual(
    allDays.map((days) => ({
      days,
      status: days < 0 ? 'OVERDUE' : 'UPCOMING',
      flagged: days < 0,
      version: days < 0 ? 2 : 1,
      rungs: crossed(days, Number.POSITIVE_INFINITY).sort(),
      next_alert_on: nextOf(days),
    })),
  );
}

function nextOf(days: number): string | null {
  const next = table.find(([from]) => from < days);
  return next ? addDays(today, days - next[0]) : null;
}
