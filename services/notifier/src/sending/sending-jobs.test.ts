import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { OutsideType } from '@ops/contracts/resources/communication';
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
  { people: true, lots: ['1 by EMAIL', '2 by SMS', '5 by EMAIL', '5 by SMS', '5 by SMS'] },
  { people: false, lots: ['12 by SMS', '6 by EMAIL'] },
])('of what waits so much is taken at once: $lots, while people are there: $people', async ({ people, lots }) => {
  const taken: { lot: string; at: number }[] = [];
  let firstEnded = 0;
  let ended = 0;
  const paceOf = (type: OutsideType) => ({
    allowance: () => 20,
    taken: (count: number) => void (count > 0 && taken.push({ lot: `${count} by ${type}`, at: performance.now() })),
    ended: () => {
      ended += 1;
      if (ended === 5) firstEnded = performance.now();
    },
    leftAlone: () => false,
  });
  const { deps, db } = desk;
  const due = (count: number, by: Parameters<typeof queuedMessage>[0]) =>
    Array.from({ length: count }, (_, n) => queuedMessage({ customer_id: `C-${n}`, ...by }));
  await desk.queue(...due(12, { type: 'SMS' }), ...due(6, { type: 'EMAIL', to: 'demo@example.com' }));
  const sending = createSendingLoop({
    deps,
    db,
    paces: { MESSAGING_APP: paceOf('MESSAGING_APP'), EMAIL: paceOf('EMAIL'), SMS: paceOf('SMS') },
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
  expect(taken.map(({ lot }) => lot).sort()).toEqual(lots);
  const [, next] = taken;
  // Timers keep to whole milliseconds.
  if (people) expect((next?.at ?? 0) - firstEnded).toBeGreaterThanOrEqual(99);
});
