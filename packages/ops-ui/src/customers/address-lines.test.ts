import { expect, test } from '@jest/globals';
import { lineInRequest, withLineFirst, withoutLine } from './address-lines.ts';

test('a line is told what is wrong with it, whatever empty ones stand before', () => {
  const lines = ['', '+41', ' ', 'none'];
  expect(lines.map((_, n) => lineInRequest(lines, n))).toEqual([undefined, 0, undefined, 1]);
});

test('one comes first, and what it was is not there twice', () => {
  expect(withLineFirst(['a', 'b', 'c'], 'b')).toEqual(['b', 'a', 'c']);
  expect(withLineFirst([''], 'learned')).toEqual(['learned']);
});

test('of all lines one is left to write on', () => {
  expect(withoutLine(['a', 'b'], 0)).toEqual(['b']);
  expect(withoutLine(['a'], 0)).toEqual(['']);
});
