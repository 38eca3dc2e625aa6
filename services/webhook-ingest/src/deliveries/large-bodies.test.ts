import { expect, test } from '@jest/globals';
import { createPlaces, largeBytes } from './large-bodies.ts';

test('so many large bodies at once, then come back later; small ones always', async () => {
  const inPlace = createPlaces(2);
  const done = Promise.withResolvers<string>();
  const held = [1, 2].map(() => inPlace(largeBytes + 1, () => done.promise));
  await expect(inPlace(largeBytes + 1, async () => 'third')).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
  });
  expect(await inPlace(largeBytes, async () => 'small')).toBe('small');
  done.resolve('read');
  expect(await Promise.all(held)).toEqual(['read', 'read']);
  await expect(inPlace(largeBytes + 1, () => Promise.reject(new Error('cut off')))).rejects.toThrow('cut off');
  expect(await Promise.all([1, 2].map((n) => inPlace(largeBytes + 1, async () => n)))).toEqual([1, 2]);
});
