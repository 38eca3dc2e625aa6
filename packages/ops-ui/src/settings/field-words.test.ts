import { expect, test } from '@jest/globals';
import { putServiceType } from '@ops/contracts/resources/service-type';
import { fieldWords } from './field-words.ts';

const wordsFor = (label: string, renewal_months: unknown) =>
  putServiceType.safeParse({ label, renewal_months }).error?.issues.map(({ message }) => fieldWords(message));

test('what the service says of a field is said in plain words', () => {
  expect(wordsFor('', 12)).toEqual(['Is needed']);
  expect(wordsFor('x'.repeat(101), 12)).toEqual(['Must have at most 100 characters']);
  expect(wordsFor('x', 0)).toEqual(['Must be at least 1']);
  expect(wordsFor('x', 601)).toEqual(['Must be at most 600']);
  expect(wordsFor('x', 1.5)).toEqual(['Must be a whole number']);
});

test('what is in plain words already stays', () => {
  expect(fieldWords('must be one line')).toBe('Must be one line');
});
