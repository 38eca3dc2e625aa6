import { expect, test } from '@jest/globals';
import { isKept, sourceInWords } from './source-words.ts';

const at = '2026-01-02T00:00:00.000Z';
const dayOf = (day: string) => `the day ${day}`;
const phone = { kind: 'phone', value: '+41791234567', primary: true, source: 'given', opted_out: {} } as const;

test('who said what a field says, and when', () => {
  const sources = { name: { source: 'staff', at }, time_zone: { source: 'import', at } } as const;
  expect(sourceInWords(sources, 'name', dayOf)).toBe('set here on the day 2026-01-02');
  expect(sourceInWords(sources, 'time_zone', dayOf)).toBe('told by a file on the day 2026-01-02');
  expect(sourceInWords(sources, 'locale', dayOf)).toBeUndefined();
});

test('what a person said of anything is kept', () => {
  expect(isKept({ sources: { name: { source: 'import', at } }, identifiers: [] })).toBe(false);
  expect(isKept({ sources: { name: { source: 'staff', at } }, identifiers: [] })).toBe(true);
  expect(isKept({ sources: {}, identifiers: [{ ...phone, given_by: 'staff' }] })).toBe(true);
  expect(isKept({ sources: {}, identifiers: [{ ...phone, given_by: null }] })).toBe(false);
});
