import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import { type RenewalStatus, type Rung, rungs } from '@ops/contracts/resources/renewal';
import fc from 'fast-check';
import { insertRenewals, startWorld, type World } from '../../test/world.ts';
import type { ForeseenLine } from './foresight.rules.ts';
import { preview } from './refresh-service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

const today = '2026-03-02';

/** All pages of a dry run. */
async function foreseen(as_of: string, limit = 200): Promise<{ all: ForeseenLine[]; would_fire: number }> {
  const all: ForeseenLine[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await preview(world.db, as_of, { limit, cursor });
    all.push(...page.data);
    if (page.next_cursor === null) return { all, would_fire: page.would_fire };
    cursor = page.next_cursor;
  }
}

interface Possible {
  days: number;
  status: 'UPCOMING' | 'IN_PROGRESS' | 'OVERDUE';
  recorded: Rung[];
  silent_through: Rung | null;
}

const possible: fc.Arbitrary<Possible> = fc
  .record({
    days: fc.integer({ min: -150, max: 150 }),
    status: fc.constantFrom('UPCOMING' as const, 'IN_PROGRESS' as const),
    recorded: fc.nat(rungs.length).map((n) => rungs.slice(0, n)),
    silent_through: fc.option(fc.constantFrom(...rungs)),
    alreadyOverdue: fc.boolean(),
  })
  .map(({ alreadyOverdue, ...one }) => (one.days < 0 && alreadyOverdue ? { ...one, status: 'OVERDUE' as const } : one));

test('a dry run says of each what the refresh after it does, no more and no less, and changes nothing', async () => {
  const property = fc.asyncProperty(
    fc.array(possible, { minLength: 1, maxLength: 60 }),
    fc.integer({ min: 1, max: 200 }),
    async (given, limit) => {
      await world.empty();
      await insertRenewals(
        world.db,
        given.map(({ days, ...one }) => ({ ...one, due_date: addDays(today, days) })),
      );
      const before = await everything();
      const { all, would_fire } = await foreseen(today, limit);
      expect(await everything()).toEqual(before);
      expect(new Set(all.map(({ renewal_id }) => renewal_id)).size).toBe(all.length);
      expect(all.filter(({ fires }) => fires !== null)).toHaveLength(would_fire);

      const run = await world.night(today);
      const told = await world.told();
      expect(alertsOf(told)).toEqual(
        sorted(
          all
            .filter(({ fires }) => fires !== null)
            .map((one) => [one.renewal_id, one.fires, one.superseded, one.because === 'reached_silently']),
        ),
      );
      expect(overdueOf(told)).toEqual(
        all
          .filter((one) => one.becomes_overdue)
          .map((one) => one.renewal_id)
          .sort(),
      );
      expect(run.counts.superseded).toBe(all.reduce((sum, { superseded }) => sum + superseded.length, 0));
      for (const one of (await foreseen(today)).all)
        expect(one).toMatchObject({ fires: null, superseded: [], becomes_overdue: false });
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

const everything = async () => [
  await world.db('renewals').orderBy('id'),
  await world.db('alerts').count(),
  await world.db('refresh_runs').count(),
];
const sorted = (alerts: unknown[]) => alerts.map((one) => JSON.stringify(one)).sort();
const alertsOf = (told: Envelope[]) =>
  sorted(
    told
      .filter(({ type }) => type === 'RENEWAL_TRIGGERED')
      .map(({ data }) => {
        const { renewal_id, rung, superseded, silent } = data as Record<string, unknown>;
        return [renewal_id, rung, superseded, silent];
      }),
  );
const overdueOf = (told: Envelope[]) =>
  told
    .filter(({ type }) => type === 'renewal.changed')
    .map(({ data }) => (data as Record<string, unknown>).renewal_id)
    .sort();

test('each renewal due within 120 days is named with its reason, those that fire first', async () => {
  await insertRenewals(world.db, [
    { due_date: addDays(today, 121) },
    { due_date: addDays(today, 120) },
    { due_date: addDays(today, 80), recorded: ['90'], fired: ['90'] },
    { due_date: addDays(today, 29), recorded: ['90'] },
    { due_date: addDays(today, -4), recorded: [...rungs], fired: ['60', 'OVERDUE'], status: 'OVERDUE' },
    { due_date: addDays(today, -1), recorded: [...rungs] },
    { due_date: addDays(today, 1), silent_through: '7' },
    { due_date: addDays(today, 20), recorded: ['90', '60', '30'], fired: ['90', '30'], silent_through: '30' },
  ]);
  const [closed] = await insertRenewals(world.db, [{ due_date: addDays(today, 10) }]);
  await close(closed as string, 'CANCELLED');
  const { all, would_fire } = await foreseen(today, 2);
  expect(would_fire).toBe(2);
  expect(
    all.map(({ days_until_due, fires, because, explanation }) => [days_until_due, fires, because, explanation]),
  ).toEqual([
    [-1, null, 'superseded', '1 day past due: superseded: 90, 60, 30, 14, 7, OVERDUE; becomes OVERDUE'],
    [
      1,
      '7',
      'reached_silently',
      '1 day until due: 7 is reached and fires without a message to the customer; 90, 60, 30, 14 passed over as less urgent',
    ],
    [29, '30', 'reached', '29 days until due: 30 is reached; 60 passed over as less urgent'],
    [-4, null, 'already_fired', '4 days past due: already fired: 60, OVERDUE; superseded: 90, 30, 14, 7'],
    [10, null, 'closed', 'It is CANCELLED'],
    [
      20,
      null,
      'already_fired',
      '20 days until due: already fired without a message to the customer: 90, 30; superseded: 60; the next one on 2026-03-08',
    ],
    [80, null, 'already_fired', '80 days until due: already fired: 90; the next one on 2026-03-22'],
    [120, null, 'not_reached', '120 days until due: no threshold is reached; the next one on 2026-04-01'],
  ]);
});

const close = (id: string, status: RenewalStatus) =>
  world
    .db('renewals')
    .where({ id })
    .update({ status, closed_at: new Date(), closed_from: 'UPCOMING', next_alert_on: null });

test('another day may be asked about; without one it is the day the next refresh is of', async () => {
  await insertRenewals(world.db, [{ due_date: addDays(today, 95) }]);
  expect((await foreseen(today)).would_fire).toBe(0);
  expect(await preview(world.db, today, { as_of: addDays(today, 5), limit: 50 })).toMatchObject({
    would_fire: 1,
    as_of: addDays(today, 5),
  });
  await world.night(today);
  expect(await preview(world.db, addDays(today, -3), { limit: 50 })).toMatchObject({ as_of: today });
});
