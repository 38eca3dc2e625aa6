import { expect, test } from '@jest/globals';
import { dateLanguage, daysSaid, roomFor, usualTemplate, wordsIn } from './template-rules.ts';

const templates = [
  { name: 'note', language: 'en' },
  { name: 'note', language: 'en_GB' },
  { name: 'aviso', language: 'pt_BR' },
];

test.each([
  ['en-GB', 1],
  ['en-US', 0],
  ['pt', 2],
  ['pt-PT', 2],
  ['fi', 0],
  [null, 0],
])('to somebody of %s one begins with template %i', (locale, n) => {
  expect(usualTemplate(templates, locale)).toBe(templates[n]);
  expect(usualTemplate([], locale)).toBeUndefined();
});

test.each([
  ['de-CH', 'de-ch', 'de-CH'],
  ['de-AT', 'de', 'de-AT'],
  ['fi-FI', 'en', 'en'],
  [null, 'en', 'en'],
])('an alert to somebody of %s is in the words of %s, with dates as %s has them', (locale, expected, dates) => {
  const all = ['en', 'de', 'de-ch'].map((one) => ({ locale: one }));
  const words = wordsIn(all, locale);
  expect(words).toEqual({ locale: expected });
  expect(dateLanguage(words?.locale ?? '', locale)).toBe(dates);
  expect(wordsIn([], locale)).toBeUndefined();
});

test('words for days that are left never count what is past', () => {
  expect([daysSaid('7', 3), daysSaid('7', -1), daysSaid('OVERDUE', -3)]).toEqual([3, 0, -3]);
});

test.each([
  [900, null, null],
  [901, '901 of 1,024 characters', null],
  [1_024, '1,024 of 1,024 characters', null],
  [1_025, '1,025 of 1,024 characters', 'Too long for a template.'],
])('%i characters', (count, said, problem) => {
  expect(roomFor('a'.repeat(count))).toEqual({ count: said, problem });
});

test('what a template leaves out is not counted', () => {
  expect(roomFor(`${'a \n\n'.repeat(450)}b`)).toEqual({ count: '901 of 1,024 characters', problem: null });
});
