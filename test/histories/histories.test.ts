import { expect, test } from '@jest/globals';
import { liveAll } from './live.ts';

test('in two thousand histories nobody falls through', () => {
  const { evenings, messages } = liveAll(2_000, 20_261_123);
  const { task, reached, held, silent, 'under way': going } = evenings;
  for (const some of [task, reached, held, silent]) expect(some).toBeGreaterThan(2_000);
  expect(going).toBeGreaterThan(100);
  for (const some of Object.values(messages)) expect(some).toBeGreaterThan(50);
});
