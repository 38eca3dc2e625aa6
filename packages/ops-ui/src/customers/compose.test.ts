import { expect, test } from '@jest/globals';
import type { Communication, Customer } from '../api/types.ts';
import {
  answeredOf,
  answerWords,
  before,
  caution,
  firstKind,
  type Kind,
  newestOf,
  obstacle,
  usualKind,
  usuallyAnswered,
} from './compose.ts';

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

test.each([
  ['SMS', {}, 'SMS'],
  ['EMAIL', { preferred_channel: 'SMS' }, 'EMAIL'],
  ['EMAIL', { emails: [] }, 'MESSAGING_APP'],
] as [Kind, Partial<Customer>, Kind][])(
  'who wrote by %s last, and is %j, is written to by %s',
  (last, given, expected) => {
    expect(usualKind(customer(given), last)).toBe(expected);
  },
);

const now = Date.parse('2026-03-01T12:00:00Z');
const written = (given: Partial<Communication> = {}): Communication =>
  ({
    id: 'm-1',
    type: 'EMAIL',
    direction: 'INBOUND',
    subject: 'My permit',
    body: 'When does\nit expire?',
    sender: 'ada@example.com',
    reply_to: null,
    sender_verified: null,
    automatic: false,
    imported: false,
    group: null,
    redacted_at: null,
    occurred_at: '2026-02-20T12:00:00Z',
    ...given,
  }) as Communication;

test('what is answered is said, and where the answer goes', () => {
  const words = (given: Partial<Communication>) => answerWords(answeredOf(written(given)), customer());
  expect(words({})).toBe('Answers “My permit”, and goes to ada@example.com.');
  expect(words({ sender: 'Ada@Example.com', subject: null })).toBe(
    'Answers “When does it expire?”, and goes to ada@example.com.',
  );
  expect(words({ sender: 'gone@example.com', subject: null, body: '' })).toBe('Answers a message without words.');
  expect(words({ reply_to: 'desk@work.example' })).toMatch(
    /goes to desk@work\.example, .* no address of this customer/,
  );
});

test.each([
  ['EMAIL', {}, true],
  ['EMAIL', { occurred_at: '2026-01-20T12:00:00Z' }, false],
  ['EMAIL', { automatic: true }, false],
  ['EMAIL', { sender_verified: 'fail' }, false],
  ['EMAIL', { direction: 'OUTBOUND' }, false],
  ['SMS', {}, false],
  ['SMS', { type: 'SMS' }, true],
  ['MESSAGING_APP', { type: 'MESSAGING_APP' }, false],
] as [Kind, Partial<Communication>, boolean][])(
  'by %s, of what %j: answered by itself is %s',
  (kind, given, expected) => {
    expect(usuallyAnswered(kind, [written(given)], now) !== null).toBe(expected);
  },
);

test('the newest of a person is what counts', () => {
  const log = [written({ id: 'auto', automatic: true }), written({ id: 'sms', type: 'SMS' }), written({ id: 'mail' })];
  expect(newestOf(log)?.id).toBe('sms');
  expect(usuallyAnswered('EMAIL', log, now)?.id).toBe('mail');
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

test('that nothing is to be answered stays so', () => {
  const taken = { subject: '', body: 'First', answers: null };
  expect(before(taken, { subject: '', body: '', answers: answeredOf(written()) }).answers).toBeNull();
});
