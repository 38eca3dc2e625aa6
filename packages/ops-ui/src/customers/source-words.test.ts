import { expect, test } from '@jest/globals';
import { sourcesInWords } from './source-words.ts';

test('who said what of a customer is a line for each', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const phone = { kind: 'phone', value: '+41791234567', primary: true, source: 'given', opted_out: {} } as const;
  expect(
    sourcesInWords({
      sources: { name: { source: 'staff', at }, locale: { source: 'staff', at }, time_zone: { source: 'import', at } },
      identifiers: [
        { ...phone, given_by: 'staff' },
        { ...phone, value: '+41446681800', given_by: null },
      ],
    }),
  ).toEqual([
    'Set here, and no other system or file changes it: name, language, +41791234567',
    'From a file: time zone',
  ]);
  expect(sourcesInWords({ sources: {}, identifiers: [] })).toEqual([]);
});
