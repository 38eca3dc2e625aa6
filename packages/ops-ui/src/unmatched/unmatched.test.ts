import { expect, test } from '@jest/globals';
import type { Unmatched } from '../api/types.ts';
import {
  becauseWords,
  isLong,
  linkedByWords,
  ofSameSender,
  onceASender,
  reachedBy,
  reasonWords,
  senderAddress,
} from './unmatched.ts';

const sender = (given: Partial<Unmatched['sender']> = {}): Unmatched['sender'] => ({
  address: '447700900123',
  phone: '+447700900123',
  email: null,
  user_id: null,
  name: null,
  username: null,
  ...given,
});
const message = (given: Partial<Unmatched> = {}): Unmatched =>
  ({ type: 'MESSAGING_APP', reason: 'unknown', sender: sender(), linked_by: null, ...given }) as Unmatched;
const byEmail = message({ type: 'EMAIL', sender: sender({ address: 'ada@example.com', phone: null }) });
const byAccount = message({ sender: sender({ address: 'GB.1', phone: null, user_id: 'GB.1' }) });

test('it says why nobody could place it, in the words of its channel', () => {
  expect(reasonWords(message())).toBe('No customer has this number.');
  expect(reasonWords(byEmail)).toBe('No customer has this address.');
  expect(reasonWords(byAccount)).toBe('No customer has this account.');
  expect(reasonWords(message({ reason: 'ambiguous' }))).toBe('More than one customer has this number.');
});

const forged = message({
  id: 'm-1',
  type: 'EMAIL',
  reason: 'unverified',
  sender: sender({ address: 'ada@example.com', phone: null, email: 'ada@example.com' }),
  candidates: [{ customer_id: 'C-1', name: 'Ada Example', because: 'identifier' }],
});

test('of a mail that is probably forged it says whom it looks like; it goes alone, and its address reaches nobody', () => {
  expect(reasonWords(forged)).toBe('The sender could not be verified: it looks like Ada Example, and may be forged.');
  expect(ofSameSender(forged, [forged, { ...forged, id: 'm-2' }, byEmail])).toBe(1);
  expect(ofSameSender(byEmail, [forged, byEmail])).toBe(1);
  expect(reachedBy(forged)).toEqual({ phones: [], emails: [] });
});

test('it says why somebody may be the sender', () => {
  const of = (because: 'identifier' | 'reply' | 'name') => ({ customer_id: 'C-1', name: 'Ada', because });
  expect(becauseWords(byEmail, of('identifier'))).toBe('has this address');
  expect(becauseWords(message(), of('reply'))).toBe('the message answers one to them');
  expect(becauseWords(message(), of('name'))).toBe('the names agree');
});

test('it says who linked it, or what did', () => {
  expect(linkedByWords(message({ linked_by: 'ada' }), (id) => id.toUpperCase())).toBe('by ADA');
  expect(linkedByWords(message(), (id) => id)).toBe('when the customer got this number');
});

test('messages of one sender on one channel go together', () => {
  expect(ofSameSender(message(), [message(), message(), message({ type: 'SMS' }), byAccount])).toBe(2);
});

test('a new customer is reached as the sender wrote', () => {
  expect(reachedBy(message())).toEqual({ phones: ['+447700900123'], emails: [] });
  expect(reachedBy(byAccount)).toEqual({ phones: [], emails: [] });
  expect(senderAddress(message())).toBe('+447700900123');
  expect(senderAddress(byEmail)).toBe('ada@example.com');
});

test('a long text is folded, one of a few lines is not', () => {
  expect(isLong('One line')).toBe(false);
  expect(isLong(`${'line\n'.repeat(6)}\n`)).toBe(false);
  expect(isLong('line\n'.repeat(7))).toBe(true);
  expect(isLong('word '.repeat(101))).toBe(true);
});

test('each sender stands once, by their newest message', () => {
  const [newest, older] = [message({ id: '3' }), message({ id: '1' })];
  const pages = [{ data: [newest, { ...byEmail, id: '2' }] }, { data: [older] }];
  const [page] = onceASender({ pages, pageParams: [] }).pages;
  expect(page?.data.map(({ id, together }) => [id, together])).toEqual([
    ['3', 2],
    ['2', 1],
  ]);
});
