import { expect, test } from '@jest/globals';
import { afterOwn, rememberOwn } from './own-versions.ts';

test('what one changed oneself is followed, up to where somebody else came in between', () => {
  rememberOwn('a', 1, 2);
  rememberOwn('a', 2, 3);
  rememberOwn('a', 4, 5);
  rememberOwn('a', 5, 5);
  rememberOwn('b', 3, 4);
  expect([1, 2, 3, 4, 5].map((version) => afterOwn('a', version))).toEqual([3, 3, 3, 5, 5]);
});
