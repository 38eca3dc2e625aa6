import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';
import { createSendingLoop } from './sending-jobs.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(() => emptyTables(desk.db, 'sends', 'outbox'));

test.each([
  { people: true, lots: [10, 2] },
  { people: false, lots: [12] },
])('of what waits so much is taken at once: $lots, while people are there: $people', async ({ people, lots }) => {
  const taken: { count: number; at: number }[] = [];
  let firstTen = 0;
  let ended = 0;
  const pace = {
    allowance: () => 20,
    taken: (count: number) => void (count > 0 && taken.push({ count, at: performance.now() })),
    ended: () => {
      ended += 1;
      if (ended === 10) firstTen = performance.now();
    },
    leftAlone: () => false,
  };
  const { deps, db } = desk;
  await desk.queue(...Array.from({ length: 12 }, (_, n) => queuedMessage({ customer_id: `C-${n}` })));
  const sending = createSendingLoop({
    deps,
    db,
    paces: { MESSAGING_APP: pace, EMAIL: pace, SMS: pace },
    committed: () => {},
    arePeopleThere: () => people,
  }).start();
  try {
    await eventually(async () => {
      const left = await db('sends').whereIn('status', ['QUEUED']);
      expect(left).toEqual([]);
    });
  } finally {
    await sending.stop();
  }
  expect(taken.map(({ count }) => count)).toEqual(lots);
  const [first, next] = taken;
  // Timers keep to whole milliseconds.
  if (first && next) expect(next.at - firstTen).toBeGreaterThanOrEqual(3 * (firstTen - first.at) - 3);
});
