import { expect, test } from '@jest/globals';
import type { RefreshRun } from '../api/types.ts';
import { durationInWords, firedByRung, tookMs } from './run-words.ts';

const counts: RefreshRun['counts'] = {
  looked_at: 0,
  fired: 0,
  superseded: 0,
  became_overdue: 0,
  set_aside: 0,
  by_rung: {},
  outreach: 0,
};

test.each([
  [200, 'under a second'],
  [12_400, '12 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_725_000, '1 h 2 min'],
  [3_605_000, '1 h 5 s'],
])('%i ms are %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});

test('a run took from its start to its end, or until now', () => {
  const run = { started_at: '2026-03-02T02:00:00Z', finished_at: '2026-03-02T02:01:00Z' } as RefreshRun;
  const now = Date.parse('2026-03-02T02:00:30Z');
  expect(tookMs(run, now)).toBe(60_000);
  expect(tookMs({ ...run, finished_at: null }, now)).toBe(30_000);
});

test('rungs come in the order of the ladder, without those at which nothing fired', () => {
  const by_rung = { '7': 1, OVERDUE: 2, '90': 3, '14': 0 };
  expect(firedByRung({ ...counts, by_rung })).toEqual([
    { rung: '90', count: 3 },
    { rung: '7', count: 1 },
    { rung: 'OVERDUE', count: 2 },
  ]);
});
