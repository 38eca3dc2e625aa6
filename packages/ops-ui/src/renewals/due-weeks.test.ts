import { expect, test } from '@jest/globals';
import { barsOf, daysOf, typesOf } from './due-weeks.ts';

const summary = {
  by_service_type: [
    { service_type: 'WORK_PERMIT', status: 'OVERDUE', count: 2 },
    { service_type: 'RESIDENCE_PERMIT', status: 'OVERDUE', count: 1 },
    { service_type: 'RESIDENCE_PERMIT', status: 'UPCOMING', count: 9 },
  ],
  by_week: [
    { week: '2026-03-02', service_type: 'RESIDENCE_PERMIT', count: 4 },
    { week: '2026-03-16', service_type: 'WORK_PERMIT', count: 5 },
    { week: '2026-03-16', service_type: 'RESIDENCE_PERMIT', count: 1 },
    { week: '2026-06-01', service_type: 'RESIDENCE_PERMIT', count: 7 },
  ],
};

test('what is overdue stands first, then every week of the window, those with nothing due included', () => {
  const bars = barsOf(summary, '2026-03-04', 30, undefined);
  expect(bars.map(({ week, total }) => [week, total])).toEqual([
    [null, 3],
    ['2026-03-02', 4],
    ['2026-03-09', 0],
    ['2026-03-16', 6],
    ['2026-03-23', 0],
    ['2026-03-30', 0],
  ]);
  expect(bars[3]?.parts.map(({ service_type }) => service_type)).toEqual(['RESIDENCE_PERMIT', 'WORK_PERMIT']);
  expect(typesOf(bars)).toEqual(['RESIDENCE_PERMIT', 'WORK_PERMIT']);
});

test('of one service type alone when that is asked for', () => {
  const bars = barsOf(summary, '2026-03-04', 30, 'WORK_PERMIT');
  expect(bars.map(({ total }) => total)).toEqual([2, 0, 0, 5, 0, 0]);
});

test('a bar stands for the days of its week, and in this week for those that are left', () => {
  expect(daysOf('2026-03-02', '2026-03-04')).toEqual({ from: '2026-03-04', to: '2026-03-08' });
  expect(daysOf('2026-03-09', '2026-03-04')).toEqual({ from: '2026-03-09', to: '2026-03-15' });
});
