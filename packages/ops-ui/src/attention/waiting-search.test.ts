import { expect, test } from '@jest/globals';
import { queueSearch, waitingSearch } from './waiting-search.ts';

test('an address says which of those who wait it shows, and what it does not know it leaves out', () => {
  expect(waitingSearch({ view: 'mine', channel: 'SMS' })).toEqual({ channel: 'SMS' });
  expect(waitingSearch({ view: 'snoozed', channel: 'CALL_LOG' })).toEqual({ view: 'snoozed' });
  expect(queueSearch({ queue: 'mine', channel: 'EMAIL' })).toEqual({ queue: 'mine', channel: 'EMAIL' });
  expect(queueSearch({ queue: 'other', channel: 'EMAIL' })).toEqual({});
});
