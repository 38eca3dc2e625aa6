import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commonForm, otherForms } from './phone-forms.rules.ts';

test.each([
  ['a Brazilian mobile without its 9', '+551187654321', { same: ['+5511987654321'], likely: [] }],
  ['a Brazilian mobile with its 9', '+5511987654321', { same: ['+551187654321'], likely: [] }],
  ['a Brazilian number whose rest is a landline', '+5511932345678', { same: [], likely: [] }],
  ['a Brazilian landline', '+551132345678', { same: [], likely: [] }],
  ['a Mexican mobile with the old 1', '+5215587654321', { same: ['+525587654321'], likely: [] }],
  ['a Mexican number', '+525587654321', { same: ['+5215587654321'], likely: [] }],
  ['an Argentine mobile', '+5491187654321', { same: [], likely: ['+541187654321'] }],
  ['an Argentine landline', '+541187654321', { same: [], likely: [] }],
  ['part of a number', '+549', { same: [], likely: [] }],
  ['a number of a country without a rule', '+447700900123', { same: [], likely: [] }],
])('%s', (_, phone, forms) => {
  expect(otherForms(phone)).toEqual(forms);
});

const digits = fc.stringMatching(/^\d{4,12}$/);
const phone = fc
  .tuple(fc.constantFrom('+55', '+5511', '+55119', '+52', '+521', '+54', '+549', '+44'), digits)
  .map((parts) => parts.join(''));

test('numbers that may match each other have one form in common, and the same line is the same both ways', () => {
  fc.assert(
    fc.property(phone, (one) => {
      const { same, likely } = otherForms(one);
      for (const other of [...same, ...likely]) expect(commonForm(other)).toBe(commonForm(one));
      for (const other of same) expect(otherForms(other).same).toContain(one);
    }),
    { seed: 20_260_310, numRuns: 2_000 },
  );
});
