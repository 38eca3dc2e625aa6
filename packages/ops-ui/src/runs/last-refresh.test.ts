import { expect, test } from '@jest/globals';
import { lastRefreshOf } from './last-refresh.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const [within, before] = ['2026-03-01T10:00:00Z', '2026-03-01T09:59:00Z'];

test('a refresh that was completed within 26 hours is recent, and to the minute no longer', () => {
  expect(lastRefreshOf({ finished_at: within }, true, now)).toEqual({ state: 'recent' });
  expect(lastRefreshOf({ finished_at: before }, true, now)).toEqual({ state: 'old', finishedAt: before });
});

test('without a completed one there is none', () => {
  expect(lastRefreshOf(null, true, now)).toEqual({ state: 'none' });
});

test('while it cannot be asked for nobody can tell, unless the one that is known of is recent still', () => {
  expect(lastRefreshOf(undefined, false, now)).toEqual({ state: 'unknown' });
  expect(lastRefreshOf(null, false, now)).toEqual({ state: 'unknown' });
  expect(lastRefreshOf({ finished_at: before }, false, now)).toEqual({ state: 'unknown' });
  expect(lastRefreshOf({ finished_at: within }, false, now)).toEqual({ state: 'recent' });
});
