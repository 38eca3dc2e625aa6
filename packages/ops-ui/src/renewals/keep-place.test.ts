import { expect, test } from '@jest/globals';
import { neighbourOf } from './keep-place.ts';

test.each([
  ['the next one', 'b', ['a', 'b', 'c'], ['a', 'c'], 'c'],
  ['of several that went, the next that stayed', 'a', ['a', 'b', 'c', 'd'], ['c', 'd'], 'c'],
  ['the one before, of the last', 'c', ['a', 'b', 'c'], ['a', 'b'], 'b'],
  ['the first of others altogether', 'a', ['a', 'b'], ['x', 'y'], 'x'],
  ['nothing where nothing is', 'a', ['a'], [], undefined],
])('in place of one that went there is %s', (_, id, before, now, expected) => {
  expect(neighbourOf(id, before, now)).toBe(expected);
});
