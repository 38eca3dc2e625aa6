import { expect, test } from '@jest/globals';
import { placeOf, stepsOf } from './ladder.ts';

const alert = (rung: '90' | '60' | '30', state: 'FIRED' | 'SUPERSEDED', due_date = '2026-06-30') => ({
  rung,
  state,
  due_date,
  decided_at: '2026-06-01T02:00:00Z',
});

test('each rung says on which day it is reached and what became of it', () => {
  const alerts = [alert('90', 'SUPERSEDED'), alert('60', 'FIRED'), alert('30', 'FIRED', '2026-05-31')];
  expect(stepsOf({ due_date: '2026-06-30', closed_at: null, alerts })).toEqual([
    { rung: '90', date: '2026-04-01', state: 'superseded', decidedAt: '2026-06-01T02:00:00Z' },
    { rung: '60', date: '2026-05-01', state: 'fired', decidedAt: '2026-06-01T02:00:00Z' },
    { rung: '30', date: '2026-05-31', state: 'to come' },
    { rung: '14', date: '2026-06-16', state: 'to come' },
    { rung: '7', date: '2026-06-23', state: 'to come' },
    { rung: 'OVERDUE', date: '2026-07-01', state: 'to come' },
  ]);
});

test('what is closed needs no further rung', () => {
  const steps = stepsOf({ due_date: '2026-06-30', closed_at: '2026-05-02T09:00:00Z', alerts: [alert('60', 'FIRED')] });
  expect(steps.map(({ state }) => state)).toEqual([
    'not needed',
    'fired',
    'not needed',
    'not needed',
    'not needed',
    'not needed',
  ]);
});

test.each([
  [400, 0],
  [90, 0],
  [75, 0.1],
  [60, 0.2],
  [30, 0.4],
  [7, 0.8],
  [3, 0.9],
  [-1, 1],
  [-400, 1],
])('with %s days left today stands at %s of the line', (days, place) => {
  expect(placeOf(days)).toBeCloseTo(place);
});
