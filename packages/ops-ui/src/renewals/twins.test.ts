import { expect, test } from '@jest/globals';
import type { Renewal } from '../api/types.ts';
import { twinsOf } from './twins.ts';

type Watched = Parameters<typeof twinsOf>[0];

const one: Watched = {
  id: '1',
  status: 'UPCOMING',
  service_type: 'WORK_PERMIT',
  due_date: '2031-01-31',
  policy_id: 'P-1',
};

test.each<[string, Partial<Renewal>, boolean]>([
  ['the same policy', {}, true],
  ['no policy named', { policy_id: null }, true],
  ['overdue', { status: 'OVERDUE' }, true],
  ['another policy', { policy_id: 'P-2' }, false],
  ['another day', { due_date: '2031-02-01' }, false],
  ['another service', { service_type: 'RESIDENCE_PERMIT' }, false],
  ['cancelled', { status: 'CANCELLED' }, false],
])('watched twice, when another one has %s', (_, other, isTwin) => {
  const all = [one, { ...one, id: '2', ...other }];
  expect(twinsOf(one, all).map(({ id }) => id)).toEqual(isTwin ? ['2'] : []);
});

test('what is closed is watched by nobody', () => {
  expect(twinsOf({ ...one, status: 'COMPLETED' }, [one, { ...one, id: '2' }])).toEqual([]);
});
