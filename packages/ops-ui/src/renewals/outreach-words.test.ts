import { expect, test } from '@jest/globals';
import { comingInWords, deedInWords, skippedBecause, stepInWords } from './outreach-words.ts';

test('a step says what it does', () => {
  expect(deedInWords({ channels: ['EMAIL'], task: null })).toBe('e-mail');
  expect(deedInWords({ channels: ['MESSAGING_APP', 'SMS'], task: null })).toBe('messaging app, else SMS');
  expect(deedInWords({ channels: [], task: 'NORMAL' })).toBe('call');
  expect(deedInWords({ channels: ['SMS'], task: 'HIGH' })).toBe('SMS and call');
});

test('what is to come is named by its rung and its step', () => {
  const coming = { rung: '60', step: '0', does: null, on: '2030-01-31', leaves: null } as const;
  expect(comingInWords(coming)).toBe('60-day alert');
  expect(comingInWords({ ...coming, rung: 'OVERDUE' })).toBe('Overdue alert');
  expect(comingInWords({ ...coming, step: '3', does: { channels: [], task: 'NORMAL' } })).toBe(
    '60-day alert, step 3: call',
  );
  expect(comingInWords({ ...coming, step: 'after_hold_2' })).toBe('60-day alert, once nothing holds it');
  expect(comingInWords({ ...coming, step: 'customer_known' })).toBe('60-day alert, now that the customer is known');
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
