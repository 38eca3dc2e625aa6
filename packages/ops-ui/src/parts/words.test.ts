import { expect, test } from '@jest/globals';
import { counted } from './words.ts';

test('one is one, and none or more are many', () => {
  expect([0, 1, 2].map((count) => counted(count, 'day'))).toEqual(['0 days', '1 day', '2 days']);
  expect(counted(2, 'message waits', 'messages wait')).toBe('2 messages wait');
});
