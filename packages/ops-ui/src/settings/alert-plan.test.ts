import { expect, test } from '@jest/globals';
import { followedBy, moved, toggled, withStep } from './alert-plan.ts';

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

test('one step of several is changed, and each says when it comes and what it does', () => {
  const steps = [
    { after_days: 7, channels: ['EMAIL' as const], task: null },
    { after_days: 21, channels: [], task: 'NORMAL' as const },
  ];
  const changed = withStep(steps, 0, { after_days: 3 });
  expect(followedBy(changed)).toEqual([
    { after_days: 3, does: 'e-mail' },
    { after_days: 21, does: 'call' },
  ]);
});
