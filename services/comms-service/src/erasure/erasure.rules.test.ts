import { expect, test } from '@jest/globals';
import { isLast, portionsOf, reasonAgainst, type Standing } from './erasure.rules.ts';

const standing: Standing = {
  id: 'C-1',
  home: 'C-1',
  aliases: ['C-2'],
  proposed: ['C-2', 'C-3'],
  isOnHold: false,
  isUnderWay: false,
  hasActiveRenewal: false,
};

test.each([
  [{}, undefined],
  [{ home: 'C-9' }, 'C-1 was merged into C-9; erase that one'],
  [{ aliases: ['C-2', 'C-7'] }, 'C-7 was merged into C-1 since it was proposed; propose it again'],
  [{ isOnHold: true }, 'C-1 is on legal hold'],
  [{ isUnderWay: true }, 'A message to C-1 is under way'],
  [{ hasActiveRenewal: true }, 'A renewal of C-1 is active'],
])('%j is against it as %j', (more, reason) => {
  expect(reasonAgainst({ ...standing, ...more })).toBe(reason);
});

test('of much that was said the orders are several, and each of it is in one', () => {
  const records = Array.from({ length: 4_500 }, (_, n) => `r${n}`);
  const externals = records.slice(0, 10).map((id) => `x${id}`);
  const portions = portionsOf({ addresses: [], records, externals });
  expect(portions.map((one) => one.records.length)).toEqual([2_000, 2_000, 500]);
  expect(portions.flatMap((one) => one.records)).toEqual(records);
  expect(portions.flatMap((one) => one.externals)).toEqual(externals);
  expect(portionsOf({ addresses: [], records: [], externals: [] })).toHaveLength(1);
});

test.each([
  ['finds something', { changed: 1, waits: 0, events: new Set<string>() }, false],
  ['waits for something', { changed: 0, waits: 1, events: new Set<string>() }, false],
  ['knew not of all that was told', { changed: 0, waits: 0, events: new Set(['a', 'b']) }, false],
  ['finds nothing more', { changed: 0, waits: 0, events: new Set(['a']) }, true],
])('a round that %s is the last: %j', (_, round, last) => {
  expect(isLast(round, new Set(['a']))).toBe(last);
});
