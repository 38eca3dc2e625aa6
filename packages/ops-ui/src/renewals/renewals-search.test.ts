import { expect, test } from '@jest/globals';
import { windowOf } from './renewals-search.ts';

test('what falls due is looked at within 90 days unless another window was chosen', () => {
  expect(windowOf({})).toBe('90');
  expect(windowOf({ window: '30', status: 'OVERDUE' })).toBe('30');
});

test('no window holds for one week, for what a refresh alerted, and for what is closed', () => {
  expect(windowOf({ window: '30', week: '2026-03-02' })).toBeUndefined();
  expect(windowOf({ window: '30', run: 'r-1' })).toBeUndefined();
  expect(windowOf({ window: '30', status: 'COMPLETED' })).toBeUndefined();
  expect(windowOf({ window: '30', status: 'CANCELLED' })).toBeUndefined();
});
