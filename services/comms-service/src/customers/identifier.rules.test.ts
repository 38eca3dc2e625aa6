import { expect, test } from '@jest/globals';
import { readAll, readEmail, readPhone } from './identifier.rules.ts';

test.each([
  ['+41 79 123 45 67', undefined, '+41791234567'],
  ['+41 (0)79 123-45.67', undefined, '+41791234567'],
  ['  +1 (650) 253-0000 ', undefined, '+16502530000'],
  // Full-width digits with a region: read as they stand they would become a number of that region.
  ['＋1 (650) 253-0000', 'SG', '+16502530000'],
  ['079 123 45 67', 'CH', '+41791234567'],
  ['0041 79 123 45 67', 'CH', '+41791234567'],
  ['(650) 253-0000', 'US', '+16502530000'],
  // Numbers their plan calls invalid, or once did, that answer all the same.
  ['+5215512345678', undefined, '+5215512345678'],
  ['+554188887777', undefined, '+554188887777'],
  ['+5491123456789', undefined, '+5491123456789'],
  // An Italian number keeps its leading zero.
  ['+39 06 1234 5678', undefined, '+390612345678'],
] as const)('the phone %s (region %s) is kept as %s', (typed, region, stored) => {
  expect(readPhone(typed, region)).toEqual({ value: stored });
});

test.each([
  ['079 123 45 67', undefined, 'must be written with its country code, such as +41 79 123 45 67'],
  ['41791234567', undefined, 'must be written with its country code, such as +41 79 123 45 67'],
  ['+999 123456789', undefined, 'begins with an unknown country code'],
  ['+00 123456', undefined, 'begins with an unknown country code'],
  ['+41', undefined, 'is too short for a phone number'],
  ['+12345678901234567890', undefined, 'is too long for a phone number'],
  ['+1 650 253 0000 ext 5', undefined, 'must not have an extension'],
  ['ask her brother', undefined, 'is not a phone number'],
  ['ask her brother', 'CH', 'is not a phone number'],
  ['+41 79 123 45 67 or +41 79 765 43 21', undefined, 'is not a phone number'],
  ['US.1349876543210', undefined, 'is not a phone number'],
  ['+', undefined, 'is not a phone number'],
  [' ', undefined, 'is not a phone number'],
] as const)('the phone "%s" (region %s) is refused: %s', (typed, region, problem) => {
  expect(readPhone(typed, region)).toEqual({ problem });
});

test.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ["o'neil+permits@mail.example.co.uk", "o'neil+permits@mail.example.co.uk"],
  ['İris@example.com', 'i̇ris@example.com'.normalize('NFC')],
  ['jürg@müller.example', 'jürg@müller.example'],
])('the address %s is kept as %s', (typed, stored) => {
  expect(readEmail(typed)).toEqual({ value: stored });
});

test.each([
  'ada',
  'ada@',
  '@example.com',
  'ada@localhost',
  'ada@example..com',
  'ada@.example.com',
  'ada@example.com.',
  'ada@@example.com',
  'a b@example.com',
  'Ada <ada@example.com>',
  'ada@example.com,bob@example.com',
  'ada@example.com\nBcc: all@example.com',
  'ada\u0007@example.com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(250)}.com`,
])('the address %j is refused', (typed) => {
  expect(readEmail(typed)).toEqual({ problem: 'must be an e-mail address' });
});

test('the same identifier written twice counts once, at its first place', () => {
  const typed = ['+41791234567', '+41 44 668 18 00', '+41 79 123 45 67'];
  const { values, problems } = readAll('phones', typed, (text) => readPhone(text, undefined));
  expect(values).toEqual(['+41791234567', '+41446681800']);
  expect(problems).toEqual([]);
});

test('each identifier that cannot be read is named by its place', () => {
  const { problems } = readAll('emails', ['nobody', 'ada@example.com', 'no one'], readEmail);
  expect(problems.map((problem) => problem.path)).toEqual(['emails.0', 'emails.2']);
});
