import { expect, test } from '@jest/globals';
import type { Customer } from '../api/types.ts';
import { answerWords, before, caution, firstKind, type Kind, obstacle, usualKind } from './compose.ts';

const customer = (given: Partial<Customer> = {}): Customer =>
  ({
    phones: ['+447700900123'],
    emails: ['ada@example.com'],
    user_ids: [],
    opted_out: [],
    preferred_channel: null,
    do_not_contact: false,
    ...given,
  }) as Customer;

test.each([
  ['MESSAGING_APP', { phones: [] }, 'no phone number'],
  ['MESSAGING_APP', { phones: [], user_ids: ['GB.1'] }, null],
  ['SMS', { phones: [], user_ids: ['GB.1'] }, 'no phone number'],
  ['EMAIL', { emails: [] }, 'no e-mail address'],
  ['INTERNAL_NOTE', { phones: [], emails: [] }, null],
] as [Kind, Partial<Customer>, string | null][])('%s to %j: %s', (kind, given, expected) => {
  expect(obstacle(kind, customer(given))).toBe(expected);
});

test.each([
  [{}, 'MESSAGING_APP'],
  [{ preferred_channel: 'EMAIL' }, 'EMAIL'],
  [{ preferred_channel: 'EMAIL', emails: [] }, 'MESSAGING_APP'],
  [{ phones: [] }, 'EMAIL'],
  [{ phones: [], emails: [] }, 'INTERNAL_NOTE'],
] as [Partial<Customer>, string][])('to %j one begins with %s', (given, expected) => {
  expect(usualKind(customer(given))).toBe(expected);
});

test.each([
  [[], 'MESSAGING_APP'],
  [['INTERNAL_NOTE'], 'INTERNAL_NOTE'],
  [['INTERNAL_NOTE', 'EMAIL'], 'EMAIL'],
  [['INTERNAL_NOTE', 'MESSAGING_APP'], 'MESSAGING_APP'],
] as [Kind[], string][])('with a draft under %j one begins with %s', (drafts, expected) => {
  expect(firstKind(customer(), (kind) => drafts.includes(kind))).toBe(expected);
});

test('what is answered is said, and that answers go elsewhere than to the customer', () => {
  const answered = { id: 'm-1', subject: 'My permit', replyTo: null };
  expect(answerWords(answered, customer())).toBe('Answers “My permit”.');
  expect(answerWords({ ...answered, subject: null }, customer())).toBe('Answers an e-mail.');
  expect(answerWords({ ...answered, replyTo: 'ada@example.com' }, customer())).toBe(
    'Answers “My permit”, and goes to ada@example.com.',
  );
  expect(answerWords({ ...answered, replyTo: 'desk@work.example' }, customer())).toMatch(
    /goes to desk@work\.example, .* no address of this customer/,
  );
});

test('who is not to be contacted, or opted out, is said before anything is written; a note leaves nobody', () => {
  expect(caution('SMS', customer({ do_not_contact: true }))).toMatch(/not to be contacted/);
  expect(caution('SMS', customer({ opted_out: ['SMS'] }))).toMatch(/no automated messages/);
  expect(caution('EMAIL', customer({ opted_out: ['SMS'] }))).toBeNull();
  expect(caution('INTERNAL_NOTE', customer({ do_not_contact: true }))).toBeNull();
});

test('words taken back stand before what was written since, and nothing of either is lost', () => {
  const taken = { subject: 'Permit', body: 'First' };
  expect(before(taken, { subject: '', body: '' })).toEqual(taken);
  expect(before(taken, { subject: 'Other', body: 'Second' })).toEqual({ subject: 'Permit', body: 'First\n\nSecond' });
});
