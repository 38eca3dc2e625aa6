import { expect, test } from '@jest/globals';
import { putServiceType } from '@ops/contracts/resources/service-type';
import { fieldWords } from './field-words.ts';

test('what the service says of a field begins like a sentence', () => {
  const { error } = putServiceType.safeParse({ label: '', renewal_months: 1.5 });
  const words = error?.issues.map(({ message }) => fieldWords(message));
  expect(words).toEqual(['Must not be empty', 'Must be a whole number']);
});
