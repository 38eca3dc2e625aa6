import { expect, test } from '@jest/globals';
import { beginningOf, customersSearch } from './customers-search.ts';

test('what was looked for begins the form of somebody new where it belongs', () => {
  expect(beginningOf('Ada Demo')).toEqual({ name: 'Ada Demo' });
  expect(beginningOf('ada@example.com')).toEqual({ emails: 'ada@example.com' });
  expect(beginningOf('+41 79 123 45 67')).toEqual({ phones: '+41 79 123 45 67' });
  expect(beginningOf('')).toEqual({});
});

test('the address says no more than the page knows', () => {
  expect(customersSearch({ query: 'ada', unread: true, create: true, other: 1 })).toEqual({
    query: 'ada',
    unread: true,
    create: true,
  });
  expect(customersSearch({ archived: true })).toEqual({ archived: true });
  expect(customersSearch({ archived: true, unread: true })).toEqual({ unread: true });
  expect(customersSearch({ query: '', unread: 'yes', create: '' })).toEqual({});
  expect(customersSearch({ create: 41791234567 })).toEqual({ create: '41791234567' });
});
