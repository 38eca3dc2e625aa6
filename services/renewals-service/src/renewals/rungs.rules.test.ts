import { expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { type Rung, rung, rungs } from '@ops/contracts/resources/renewal';
import fc from 'fast-check';
import { decide, isSilent, nextAlertOn, reached, silentThrough } from './rungs.rules.ts';

const dueDate = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const days = fc.integer({ min: -400, max: 400 });
const anyRecorded = fc.subarray([...rungs]);
/** As a refresh leaves the ledger: whatever is looser than a recorded rung is recorded too. */
const orderly = fc.nat(rungs.length).map((n) => rungs.slice(0, n));

test('every rung there is stands in the list', () => {
  expect([...rungs].sort()).toEqual([...rung.options].sort());
});

test.each<[number, Rung[]]>([
  [91, []],
  [90, ['90']],
  [61, ['90']],
  [60, ['90', '60']],
  [30, ['90', '60', '30']],
  [14, ['90', '60', '30', '14']],
  [7, ['90', '60', '30', '14', '7']],
  [0, ['90', '60', '30', '14', '7']],
  [-1, ['90', '60', '30', '14', '7', 'OVERDUE']],
  [-400, ['90', '60', '30', '14', '7', 'OVERDUE']],
])('at %i days until due these rungs are reached: %j', (daysUntilDue, expected) => {
  expect(reached(daysUntilDue)).toEqual(expected);
});

test('the most urgent rung reached fires, and those looser that nobody decided on are superseded', () => {
  expect(decide(45, [])).toEqual({ fire: '60', supersede: ['90'] });
  expect(decide(45, ['90'])).toEqual({ fire: '60', supersede: [] });
  expect(decide(45, ['90', '60'])).toEqual({ fire: null, supersede: [] });
  expect(decide(-3, ['90', '60'])).toEqual({ fire: 'OVERDUE', supersede: ['30', '14', '7'] });
  expect(decide(5, ['7'])).toEqual({ fire: null, supersede: ['90', '60', '30', '14'] });
});

test('what a decision leaves is every rung reached once, and a second decision has nothing to add', () => {
  fc.assert(
    fc.property(days, anyRecorded, (daysUntilDue, recorded) => {
      const { fire, supersede } = decide(daysUntilDue, recorded);
      const after = [...recorded, ...supersede, ...(fire ? [fire] : [])];
      expect(new Set(after).size).toBe(after.length);
      expect(after).toEqual(expect.arrayContaining(reached(daysUntilDue)));
      expect(decide(daysUntilDue, after)).toEqual({ fire: null, supersede: [] });
    }),
  );
});

test('an alert is never looser than one before it', () => {
  fc.assert(
    fc.property(days, anyRecorded, (daysUntilDue, recorded) => {
      const { fire, supersede } = decide(daysUntilDue, recorded);
      if (fire === null) return;
      for (const other of supersede) expect(rungs.indexOf(other)).toBeLessThan(rungs.indexOf(fire));
      expect(fire).toBe(reached(daysUntilDue).at(-1));
    }),
  );
});

test('there is something to decide from the next alert date on, and nothing before it', () => {
  fc.assert(
    fc.property(dueDate, days, orderly, (due, daysUntilDue, recorded) => {
      const today = addDays(due, -daysUntilDue);
      const next = nextAlertOn(due, recorded);
      const { fire, supersede } = decide(daysUntilDue, recorded);
      expect(fire !== null || supersede.length > 0).toBe(next !== null && next <= today);
    }),
  );
});

test('after a decision the next alert date lies ahead, however late it was made', () => {
  fc.assert(
    fc.property(dueDate, days, anyRecorded, (due, daysUntilDue, recorded) => {
      const today = addDays(due, -daysUntilDue);
      const { fire, supersede } = decide(daysUntilDue, recorded);
      const next = nextAlertOn(due, [...recorded, ...supersede, ...(fire ? [fire] : [])], daysUntilDue < 0);
      expect(next === null || next > today).toBe(true);
      expect(next === null).toBe(daysUntilDue < 0);
    }),
  );
});

const firstAndLaterNights = fc.tuple(days, fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 8 }));

test('a date that came silently fires what any other does, and silently what it had reached by then, no more', () => {
  fc.assert(
    fc.property(firstAndLaterNights, fc.constantFrom(...rungs), ([whenCreated, nights], mostUrgent) => {
      const silent = silentThrough(whenCreated, mostUrgent);
      const unsaid = reached(whenCreated).slice(0, rungs.indexOf(mostUrgent) + 1);
      let recorded: Rung[] = [];
      for (const later of nights.toSorted((a, b) => a - b)) {
        const { fire, supersede } = decide(whenCreated - later, recorded);
        recorded = [...recorded, ...supersede, ...(fire ? [fire] : [])];
        if (fire) expect(isSilent(fire, silent)).toBe(unsaid.includes(fire));
      }
    }),
  );
});

test('one that is not yet overdue is looked at again the day after its date, though its last rung is recorded', () => {
  expect(nextAlertOn('2026-03-01', [...rungs], false)).toBe('2026-03-02');
  expect(nextAlertOn('2026-03-01', [...rungs], true)).toBeNull();
  expect(nextAlertOn('2026-03-01', [...rungs])).toBeNull();
  expect(nextAlertOn('2026-03-01', [])).toBe('2025-12-01');
});
