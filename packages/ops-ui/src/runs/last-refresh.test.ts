import { expect, test } from '@jest/globals';
import { lastRefreshOf } from './last-refresh.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const completed = (finished_at: string) => ({ status: 'COMPLETED' as const, finished_at });

test('a refresh that was completed within 26 hours is recent, and to the minute no longer', () => {
  expect(lastRefreshOf([completed('2026-03-01T10:00:00Z')], now)).toEqual({ state: 'recent' });
  const finishedAt = '2026-03-01T09:59:00Z';
  expect(lastRefreshOf([completed(finishedAt)], now)).toEqual({ state: 'old', finishedAt });
});

test('the newest completed one counts, and none that failed, was replaced or still runs', () => {
  const finishedAt = '2026-02-28T02:00:10Z';
  const runs = [
    { status: 'RUNNING' as const, finished_at: null },
    { status: 'FAILED' as const, finished_at: '2026-03-02T02:00:10Z' },
    { status: 'ABANDONED' as const, finished_at: '2026-03-01T02:00:10Z' },
    completed('2026-02-27T02:00:10Z'),
    completed(finishedAt),
  ];
  expect(lastRefreshOf(runs, now)).toEqual({ state: 'old', finishedAt });
});

test('without a completed one there is none', () => {
  expect(lastRefreshOf([], now)).toEqual({ state: 'none' });
  expect(lastRefreshOf([{ status: 'FAILED', finished_at: '2026-03-02T02:00:10Z' }], now)).toEqual({ state: 'none' });
});
