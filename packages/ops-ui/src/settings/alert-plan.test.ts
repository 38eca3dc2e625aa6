import { expect, test } from '@jest/globals';
import { moved, toggled } from './alert-plan.ts';

test('channels are put in and taken out, and stand in one order', () => {
  expect(toggled([], 'SMS')).toEqual(['SMS']);
  expect(toggled(['SMS'], 'MESSAGING_APP')).toEqual(['MESSAGING_APP', 'SMS']);
  expect(toggled(['MESSAGING_APP', 'SMS'], 'SMS')).toEqual(['MESSAGING_APP']);
});

test('one of a list moves by one place, and no further than its ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b'], 'a', -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 'c', 1)).toEqual(['a', 'b']);
});
