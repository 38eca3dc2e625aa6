import { expect, test } from '@jest/globals';
import type { Alert } from '../api/types.ts';
import { placeOf, stepsOf } from './ladder.ts';

const alert = (rung: '90' | '60' | '30', state: 'FIRED' | 'SUPERSEDED', due_date = '2026-06-30') => ({
  rung,
  state,
  due_date,
  decided_at: '2026-06-01T02:00:00Z',
  outcomes: [],
});

test('each rung says on which day it is reached and what became of it', () => {
  const alerts = [alert('90', 'SUPERSEDED'), alert('60', 'FIRED'), alert('30', 'FIRED', '2026-05-31')];
  expect(stepsOf({ due_date: '2026-06-30', closed_at: null, hold: null, alerts })).toEqual([
    { rung: '90', date: '2026-04-01', state: 'superseded', decidedAt: '2026-06-01T02:00:00Z' },
    { rung: '60', date: '2026-05-01', state: 'fired', decidedAt: '2026-06-01T02:00:00Z' },
    { rung: '30', date: '2026-05-31', state: 'to come' },
    { rung: '14', date: '2026-06-16', state: 'to come' },
    { rung: '7', date: '2026-06-23', state: 'to come' },
    { rung: 'OVERDUE', date: '2026-07-01', state: 'to come' },
  ]);
});

test('what is closed needs no further rung', () => {
  const closed = { due_date: '2026-06-30', closed_at: '2026-05-02T09:00:00Z', hold: null };
  const steps = stepsOf({ ...closed, alerts: [alert('60', 'FIRED')] });
  expect(steps.map(({ state }) => state)).toEqual([
    'not needed',
    'fired',
    'not needed',
    'not needed',
    'not needed',
    'not needed',
  ]);
});

const heldUntil = (until: string | null) => ({ because: 'acknowledged', until }) as const;
const held = { reason: { code: 'held', message: 'Somebody looks after the renewal' } } as Alert['outcomes'][number];

test('a rung says that its message was kept back, until that was sent, and one to come that it will be', () => {
  const kept = { ...alert('60', 'FIRED'), outcomes: [held] };
  const standing = { due_date: '2026-06-30', closed_at: null, hold: heldUntil('2026-06-16') };
  const statesOf = (alerts: Alert[]) => stepsOf({ ...standing, alerts }).map(({ state }) => state);
  const later = ['held', 'to come', 'to come', 'to come'];
  expect(statesOf([kept] as Alert[])).toEqual(['held', 'kept back', ...later]);
  expect(statesOf([alert('60', 'FIRED'), kept] as Alert[])).toEqual(['held', 'fired', ...later]);
  const always = stepsOf({ ...standing, hold: heldUntil(null), alerts: [] });
  expect(new Set(always.map(({ state }) => state))).toEqual(new Set(['held']));
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
