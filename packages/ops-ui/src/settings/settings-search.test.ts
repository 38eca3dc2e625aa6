import { expect, test } from '@jest/globals';
import { deadLetterSearch, formSearch, webhookSearch } from './settings-search.ts';

test('one of a list is open, or a new one, never both', () => {
  expect(formSearch({ edit: 'WORK_PERMIT', add: true })).toEqual({ edit: 'WORK_PERMIT' });
  expect(formSearch({ add: true })).toEqual({ add: true });
  expect(formSearch({ edit: 1001 })).toEqual({ edit: '1001' });
  expect(formSearch({ edit: ['x'], add: 'yes' })).toEqual({});
});

test('an address that names what is not there is read without it', () => {
  expect(deadLetterSearch({ service: 'notifier', replayed: true })).toEqual({ service: 'notifier', replayed: true });
  expect(deadLetterSearch({ service: 'toString', replayed: 'true' })).toEqual({});
  expect(webhookSearch({ provider: 'twilio', outcome: 'partly', delivery: 'x' })).toEqual({
    provider: 'twilio',
    outcome: 'partly',
    delivery: 'x',
  });
  expect(webhookSearch({ provider: 'pigeon', outcome: 7 })).toEqual({});
});
