import { expect, test } from '@jest/globals';
import { liveAll } from './live.ts';

test('in two thousand histories nobody falls through', () => {
  const { task, reached, held, silent, 'under way': going } = liveAll(2_000, 20_261_123);
  for (const evenings of [task, reached, held, silent]) expect(evenings).toBeGreaterThan(2_000);
  expect(going).toBeGreaterThan(100);
}, 120_000);
