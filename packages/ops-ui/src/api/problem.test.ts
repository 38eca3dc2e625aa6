import { expect, test } from '@jest/globals';
import { ProblemError } from './problem.ts';

const refused = new ProblemError(422, {
  code: 'validation_failed',
  detail: 'Some fields are not valid; `errors` names each',
  errors: [
    { path: 'due_date', message: 'must be a date' },
    { path: 'phones.1', message: 'must be a phone number' },
    { path: '$', message: 'must be an object' },
  ],
});

test('what is wrong is told at its field, in a list at its line, and where there is no field by its name', () => {
  expect(refused.field('due_date')).toBe('Must be a date');
  expect(refused.lines('phones')).toBe('Line 2: must be a phone number');
  expect(refused.lines('emails')).toBeUndefined();
  expect(refused.message).toBe('Due date: Must be a date. Phones 1: Must be a phone number. Must be an object.');
});

test('any other refusal is told in the service’s own sentence', () => {
  const errors = [{ path: 'id', message: 'is Ann already' }];
  expect(new ProblemError(409, { code: 'conflict', detail: 'It is taken', errors }).message).toBe('It is taken');
});
