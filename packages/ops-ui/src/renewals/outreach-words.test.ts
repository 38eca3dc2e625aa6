import { expect, test } from '@jest/globals';
import { deedInWords, skippedBecause, stepInWords } from './outreach-words.ts';

test('a step says what it does', () => {
  expect(deedInWords({ channels: ['EMAIL'], task: null })).toBe('e-mail');
  expect(deedInWords({ channels: ['MESSAGING_APP', 'SMS'], task: null })).toBe('messaging app, else SMS');
  expect(deedInWords({ channels: [], task: 'NORMAL' })).toBe('call');
  expect(deedInWords({ channels: ['SMS'], task: 'HIGH' })).toBe('SMS and call');
});

test('why a step did not go, and which message of a rung one is', () => {
  expect(skippedBecause('answered')).toBe('the customer answered');
  expect(skippedBecause(null)).toBe('skipped');
  expect(['0', '2', 'after_hold_2', 'customer_known'].map(stepInWords)).toEqual([
    '',
    'step 2 after it',
    'when nothing held it any more',
    'when the customer was known',
  ]);
});
