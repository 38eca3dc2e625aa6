import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { silentThrough } from '../src/renewals/rungs.rules.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { insertRenewals, startWorld, type World } from './world.ts';

let world: World;
/** In small batches, so that they take turns. */
let processes: RunningProcess[];

const today = '2026-03-02';
/** Of each number of days one renewal. */
const allDays = Array.from({ length: 801 }, (_, n) => 400 - n);
let ids: string[];

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

type Situation = [name: string, lastNight: string | null, earlier: (days: number) => number];

/** Which nights there were before that of today, and so from how many days on a threshold is passed anew. */
const situations = (missedNights: readonly number[]): Situation[] => [
  ['the night after the last one', addDays(today, -1), (days) => days + 1],
  ['a first night, however late', null, () => Number.POSITIVE_INFINITY],
  ...missedNights.map(
    (missed): Situation => [
      `the next night, ${missed} missed`,
      addDays(today, -missed - 1),
      (days) => days + missed + 1,
    ],
  ),
];

/** A night alerts each renewal of the most urgent rung it passed since the last one, once, however many nights were missed. */
export function ladderHolds(missedNights: readonly number[]): void {
  beforeAll(async () => {
    world = await startWorld();
    // What may follow an alert has tests of its own.
    await world.db('followed_alert_plan').update({ outreach: {} });
    const one = () => startProcess({ databaseUrl: world.databaseUrl, batch: 7 });
    processes = await Promise.all([one(), one(), one()]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.kill()));
    await world.close();
  });
  beforeEach(() => world.empty());

  beforeEach(async () => {
    ids = await insertRenewals(
      world.db,
      allDays.map((days) => ({ due_date: addDays(today, days) })),
    );
  });

  describe.each(situations(missedNights))('%s', (_, lastNight, earlier) => {
    beforeEach(async () => {
      if (lastNight !== null) await world.night(lastNight);
      await world.told();
      world.setToday(today);
    });
    const due = allDays.filter((days) => expected(days, earlier(days)).length > 0).length;

    test('alerts each that passed a threshold once, of the most urgent one', async () => {
      expect(await world.night(today)).toMatchObject({ status: 'COMPLETED', counts: { looked_at: due, fired: due } });
      expect(await alerts()).toEqual(expectedOf(earlier));
      await everyRungOnce();
    });

    test('run twice, alerts nobody again', async () => {
      await world.night(today);
      await world.told();
      expect(await world.night(today)).toMatchObject({ status: 'COMPLETED', counts: { looked_at: 0, fired: 0 } });
      expect(await world.told()).toEqual([]);
      await everyRungOnce();
    });

    test('run by three processes at once, is one run that alerts once', async () => {
      // Each has begun, and none has treated a renewal yet.
      expect(await Promise.all(processes.map((one) => one.night(today, 6)))).toEqual([undefined, undefined, undefined]);
      const runs = await Promise.all(processes.map((one) => one.goOn()));
      expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(1);
      expect(runs[0]).toMatchObject({ as_of: today, status: 'COMPLETED', counts: { looked_at: due, fired: due } });
      expect(await alerts()).toEqual(expectedOf(earlier));
      await everyRungOnce();
    });
  });

  test('dates that came silently fire as others do, and write only of what they reached later', async () => {
    await world.empty();
    ids = await insertRenewals(
      world.db,
      allDays.map((days) => ({ due_date: addDays(today, days), silent_through: silentThrough(days) })),
    );
    for (const [later, earlier] of [
      [0, Number.NEGATIVE_INFINITY],
      [10, 0],
      [45, 10],
    ] as const) {
      await world.night(addDays(today, later));
      const told = (await world.told()).filter(({ type }) => type === 'RENEWAL_TRIGGERED');
      const alerted = told.map(({ data }) => data as EventData<'RENEWAL_TRIGGERED'>);
      const due = allDays.flatMap((days, n) => {
        const [rung] = expected(days - later, days - earlier)[0] ?? [];
        return rung === undefined ? [] : [[ids[n], rung, crossed(days, Number.POSITIVE_INFINITY).includes(rung)]];
      });
      expect(alerted.map(({ renewal_id, rung, silent }) => [renewal_id, rung, silent]).sort()).toEqual(due.sort());
    }
  });
}

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
