import { expect, test } from '@jest/globals';
import { piecesOf, stillNamed, withMention } from './mentions.ts';

const [bob, bobby, dot] = [
  { id: 'b', name: 'Bob' },
  { id: 'bb', name: 'Bob Bobby' },
  { id: 'd', name: 'Dr. Dot (Zürich)' },
];

test.each([
  ['@Bob, look', [bob, bobby], ['b']],
  ['@Bob Bobby, look', [bob, bobby], ['bb']],
  ['@Bobé and a@Bobx', [bob], []],
  ['for @Dr. Dot (Zürich)', [dot], ['d']],
  ['for @Dr  Dot', [dot], []],
  ['@Bob', undefined, []],
])('%j tells those whose names are still in it', (words, mentions, ids) => {
  expect(stillNamed(words, mentions).map(({ id }) => id)).toEqual(ids);
});

test('somebody chosen twice is told once, by the name of the last time', () => {
  expect(withMention([bob, dot], { ...bob, name: 'Rob' })).toEqual([dot, { id: 'b', name: 'Rob' }]);
});

test('names stand out, and nothing of the words is lost', () => {
  const words = 'Ask @Bob Bobby or @Bob.\n@Bobs';
  const pieces = piecesOf(words, ['Bob', 'Bob Bobby']);
  expect(pieces.filter(({ isName }) => isName).map(({ text }) => text)).toEqual(['@Bob Bobby', '@Bob']);
  expect(pieces.map(({ text }) => text).join('')).toBe(words);
  expect(piecesOf('@Bob', [])).toEqual([{ text: '@Bob', isName: false }]);
});
