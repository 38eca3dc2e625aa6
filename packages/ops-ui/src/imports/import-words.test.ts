import { expect, test } from '@jest/globals';
import type { CsvImport } from '../api/types.ts';
import { mostBytes } from './columns.ts';
import {
  fileObstacle,
  forecastInWords,
  importSearch,
  outcomeOfAll,
  partsOf,
  previewInWords,
  type Shown,
  shareDone,
  shownOf,
} from './import-words.ts';

const nothing = { rows: 0, to_create: 0, to_change: 0, unchanged: 0, refused: 0, done: 0 };
const counts = (given: Partial<CsvImport['counts']>) => ({ ...nothing, ...given });

test('a file that cannot be taken is told so before it is sent', () => {
  expect(fileObstacle({ size: 0 })).toMatch(/empty/);
  expect(fileObstacle({ size: mostBytes })).toBeNull();
  expect(fileObstacle({ size: mostBytes + 1 })).toMatch(/at most 40\.0 MB/);
});

test.each([
  [{ rows: 0 }, /no row in this file/],
  [{ rows: 3, to_create: 3 }, /^Nothing is taken in yet\.$/],
  [{ rows: 3, to_create: 2, refused: 1 }, /Refused rows are left out/],
  [{ rows: 3, unchanged: 3 }, /would change nothing/],
  [{ rows: 3, unchanged: 2, refused: 1 }, /No row of this file can be taken in/],
])('what %j means is said before it is done', (given, expected) => {
  expect(previewInWords(counts(given))).toMatch(expected);
});

test('what taking a file in leads to is a sentence, and what nobody could count is said', () => {
  const deeds = { tasks: 3, flags: 1, messages: 0 };
  const forecast = { as_of: '2030-01-02', tonight: deeds, next_30_days: { tasks: 1_200, flags: 0, messages: 1 } };
  const of = (given: Partial<CsvImport['counts']>, changed = {}) =>
    forecastInWords({ counts: counts(given), forecast: { ...forecast, ...changed } });
  expect(of({ to_create: 1 })).toBe(
    'Tonight: 3 tasks, 1 compliance flag and no messages to customers. ' +
      'In the next 30 days, tonight included: 1,200 tasks, no compliance flags and 1 message to customers.',
  );
  const unknown = { tasks: null, flags: 2, messages: null };
  expect(of({ to_create: 1 }, { tonight: unknown, next_30_days: unknown })).toMatch(
    /^Tonight: 2 compliance flags\. .* could not be counted/,
  );
  const none = { tasks: 0, flags: 0, messages: 0 };
  expect(of({ to_create: 1 }, { tonight: none })).toMatch(
    /^Tonight: no tasks, compliance flags or messages to customers\./,
  );
  expect(of({ unchanged: 4 })).toBeNull();
  expect(forecastInWords({ counts: counts({ to_create: 1 }), forecast: null })).toBeNull();
});

test('how far it came is counted in rows that are to be done', () => {
  expect(shareDone(counts({ to_create: 3, to_change: 1, unchanged: 9, done: 1 }))).toBe(0.25);
  expect(shareDone(counts({ unchanged: 9 }))).toBeNull();
  expect(outcomeOfAll(counts({ done: 1, refused: 2 }))).toBe('1 row taken in, 2 refused.');
  expect(outcomeOfAll(counts({ unchanged: 2 }))).toBe('Nothing was taken in.');
});

test.each([
  ['CHECKED', { refused: 1 }, undefined, 'refused'],
  ['CHECKED', { to_create: 1 }, undefined, 'all'],
  ['CHECKED', { refused: 1 }, 'all', 'all'],
  ['CHECKED', { refused: 1 }, 'create', 'create'],
  ['COMPLETED', { to_create: 1 }, 'create', 'all'],
  ['COMPLETED', { refused: 1 }, 'created', 'created'],
] as [CsvImport['status'], object, Shown | undefined, Shown][])(
  'of one %s with %j whoever asks for %s sees %s',
  (status, given, asked, expected) => {
    expect(shownOf(partsOf({ status, counts: counts(given) }), asked)).toBe(expected);
  },
);

test('an address names an import and what of it is shown, and nothing else', () => {
  expect(importSearch({ import: 'x', rows: 'refused', more: 1 })).toEqual({ import: 'x', rows: 'refused' });
  expect(importSearch({ import: 7, rows: 'none' })).toEqual({});
});
