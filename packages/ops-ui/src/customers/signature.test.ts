import { expect, test } from '@jest/globals';
import { isSigned, signed, unsigned } from './signature.ts';

const signature = 'Bob Agent\nThe Firm';

test('a signature stands below the words, behind the line mail programs know, and comes apart again', () => {
  expect(signed('Hello\n\n', signature)).toBe('Hello\n\n-- \nBob Agent\nThe Firm');
  expect(unsigned(signed('Hello', signature))).toEqual({ words: 'Hello', signature });
  for (const none of [null, undefined, '']) expect(signed('Hello', none)).toBe('Hello');
});

test.each([
  [signed('Hello', signature), 'signed already'],
  ['Hello\n\n-- \nSomebody else', 'signed otherwise'],
  ['Hello\n--\nBob', 'signed without the blank'],
  [`Hello\n${signature}\n`, 'ends with it'],
])('%j is not signed twice: %s', (words) => {
  expect(isSigned(words, signature)).toBe(true);
  expect(signed(words, signature)).toBe(words);
});

test.each(['Hello', 'one -- two', '-- \nnothing but that', 'a\n--\nb'])('in %j there is no signature', (words) => {
  expect(unsigned(words)).toEqual({ words, signature: null });
});
