import { expect, test } from '@jest/globals';
import { isStorable, storable } from './text.ts';

test('text is made storable without touching what is', () => {
  expect(storable('a\u0000b\ud83dc😀')).toBe('a\ufffdb\ufffdc😀');
  expect(['a\u0000', 'b\ud83d', 'c😀'].map(isStorable)).toEqual([false, false, true]);
});
