import { expect, test } from '@jest/globals';
import { foldName } from '../fold-name.rules.ts';
import { searchPatterns } from './search.rules.ts';

test.each([
  ['Émile  Zoë ', 'emile zoe'],
  ['JOSÉ', 'jose'],
  ['İpek', 'ipek'],
  ['Ｆｕｌｌ Ｗｉｄｔｈ', 'full width'],
  ['Ürsula', 'ursula'],
])('the name %s is searched and sorted as %s', (name, folded) => {
  expect(foldName(name)).toBe(folded);
});

test('what would mean something to Postgres is searched for as it stands', () => {
  expect(searchPatterns("O'Demo\\ | !x", undefined)).toMatchObject({
    name: "'o''demo\\\\ | !x':*",
    id: "o'demo\\ | !x",
    email: "'o''demo\\\\ | !x':*",
  });
});

test('nothing but spaces is nothing', () => {
  expect(searchPatterns('  ', undefined)).toBeUndefined();
});

test.each([
  ['+41 79', undefined, "'+4179':*"],
  ['＋41 79', undefined, "'+4179':*"],
  ['+41 (0)79 123', undefined, "'+4179123':*"],
  ['791 23 45', undefined, "'7912345':*"],
  ['079 123 45 67', undefined, "'791234567':*"],
  ['0041791234567', undefined, "'41791234567':*"],
  ['8 912 345-67-89', 'RU', "'89123456789':* | '+79123456789':*"],
  ['12', undefined, null],
  ['000', undefined, null],
  ['+', undefined, null],
  ['C-1001', undefined, null],
  ['Ada', undefined, null],
] as const)('"%s" (region %s) looks for phones like %j', (query, region, phones) => {
  expect(searchPatterns(query, region)?.phones).toBe(phones);
});
