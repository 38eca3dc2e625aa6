import { expect, test } from '@jest/globals';
import { daysAsYears, proposedInWords, rowsOf } from './retention-words.ts';

test.each([
  [30, ''],
  [365, ''],
  [366, 'about 1 year'],
  [3_650, 'about 10 years'],
  [913, 'about 2.5 years'],
])('%i days: “%s”', (days, words) => {
  expect(daysAsYears(days)).toBe(words);
});

test('a run concerns the rows of all places together', () => {
  const place = { service: 'comms-service', place: 'communications' };
  expect(
    rowsOf({
      places: [
        { ...place, rows: 3 },
        { ...place, rows: 4 },
      ],
    }),
  ).toBe(7);
  expect(rowsOf({ places: [] })).toBe(0);
});

test('what is to be kept for less long is told with what it was', () => {
  expect(proposedInWords({ keep_days: { SMS: { from: 2557, to: 400 }, EMAIL: { from: 90, to: 30 } } })).toBe(
    'E-mails for 30 days instead of 90; SMS for 400 days instead of 2557',
  );
});
