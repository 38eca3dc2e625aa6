import { expect, test } from '@jest/globals';
import { askedAgain } from './idempotency.ts';

test('the same asked for again carries the same key, also when it was kept as text meanwhile', () => {
  const first = askedAgain(null, { title: 'Call' });
  expect(askedAgain(JSON.parse(JSON.stringify(first)), { title: 'Call' })).toEqual(first);
});

test('something else carries another key', () => {
  const first = askedAgain(null, { title: 'Call' });
  expect(askedAgain(first, { title: 'Write' }).key).not.toBe(first.key);
});
