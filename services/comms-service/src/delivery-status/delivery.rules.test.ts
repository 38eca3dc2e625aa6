import { expect, test } from '@jest/globals';
import { type Communication, isInternal, type OutsideType } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import fc from 'fast-check';
import { sampleRecord } from '../../test/record.ts';
import { recipientOf } from '../addressing/recipient.rules.ts';
import {
  type DeliveryState,
  type DeliveryUpdate,
  hear,
  permission,
  reasonAgainstRetry,
  settled,
} from './delivery.rules.ts';

const queued: DeliveryState = {
  status: 'QUEUED',
  failure: null,
  attempt: 2,
  provider: null,
  provider_message_id: null,
  send_after: null,
  send_after_reason: null,
};
const failure = { code: 'smtp:550', message: 'no such mailbox' };

const update = (status: DeliveryUpdate['status'], change: Partial<DeliveryUpdate> = {}): DeliveryUpdate => ({
  customer_id: 'C-1',
  occurred_at: '2026-03-01T12:00:00Z',
  provider: 'smtp',
  provider_message_id: '<a@example>',
  communication_id: '0195c4e0-0000-7000-8000-000000000001',
  attempt: 2,
  attempt_id: '0195c4e0-0000-7000-8000-000000000002',
  failure: status === 'FAILED' ? failure : null,
  status,
  ...change,
});

const all = (...heard: DeliveryUpdate['status'][]) => heard.map((status) => update(status)).reduce(hear, queued);

test.each([
  [['SENT', 'DELIVERED', 'READ'], 'READ'],
  [['READ', 'DELIVERED', 'SENT'], 'READ'],
  [['FAILED', 'SENT'], 'FAILED'],
  [['SENT', 'FAILED'], 'FAILED'],
  [['FAILED', 'DELIVERED'], 'DELIVERED'],
  [['DELIVERED', 'FAILED'], 'DELIVERED'],
  [['UNCERTAIN', 'SENT'], 'SENT'],
  [['SENT', 'UNCERTAIN'], 'SENT'],
  [['UNCERTAIN', 'FAILED'], 'FAILED'],
  [['CANCELLED'], 'CANCELLED'],
  [['SENT', 'CANCELLED'], 'SENT'],
] as const)('of %j what counts is %s', (heard, status) => {
  expect(all(...heard).status).toBe(status);
});

test('a failure is told while it counts, and no longer', () => {
  expect([all('FAILED', 'SENT').failure, all('FAILED', 'DELIVERED').failure]).toEqual([failure, null]);
});

const statuses = fc.constantFrom('SENT', 'DELIVERED', 'READ', 'FAILED', 'UNCERTAIN', 'CANCELLED');
const updates = fc.array(
  fc.record({ status: statuses, attempt: fc.constantFrom(1, 2, 2, 3) }).map((u) => update(u.status, u)),
  { minLength: 1, maxLength: 12 },
);

test('the order and the number of times it is heard in change nothing', () => {
  fc.assert(
    fc.property(updates, fc.infiniteStream(fc.nat()), (heard, dice) => {
      const again = [...heard, ...heard.filter((_, n) => n % 3 === 0)]
        .map((one) => ({ one, at: dice.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one);
      expect(again.reduce(hear, queued).status).toBe(heard.reduce(hear, queued).status);
    }),
    { seed: 20_260_310, numRuns: 500 },
  );
});

test('another attempt than the current one changes nothing', () => {
  for (const attempt of [1, 3]) {
    expect(hear(queued, update('READ', { attempt }))).toEqual(queued);
    expect(hear(queued, update('QUEUED', { attempt, send_after: '2026-03-02T08:00:00Z' }))).toEqual(queued);
  }
});

test('it waits until the latest time it was put off to, in whatever order that is heard', () => {
  const putOff = ['2026-03-02T08:00:00Z', '2026-03-03T08:00:00Z'].map((send_after) => update('QUEUED', { send_after }));
  for (const heard of [putOff, putOff.toReversed(), [...putOff, update('SENT')]])
    expect(heard.reduce(hear, queued).send_after).toBe('2026-03-03T08:00:00Z');
  expect(putOff.reduce(hear, queued).status).toBe('QUEUED');
});

test('a receipt without an id keeps the one that is known', () => {
  expect([update('SENT'), update('READ', { provider_message_id: null })].reduce(hear, queued)).toMatchObject({
    status: 'READ',
    provider_message_id: '<a@example>',
  });
});

test('what staff settled is still moved by a stronger receipt, and by no weaker one', () => {
  const uncertain = { ...queued, status: 'UNCERTAIN' as const };
  const lost = { ...uncertain, ...settled('failed') };
  expect(hear(lost, update('SENT')).status).toBe('FAILED');
  expect(hear(lost, update('DELIVERED'))).toMatchObject({ status: 'DELIVERED', failure: null });
  expect(hear({ ...uncertain, ...settled('sent') }, update('FAILED')).status).toBe('FAILED');
});

test('only what failed, and still has its words, is sent again', () => {
  const refused = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'UNCERTAIN', 'CANCELLED', 'RECEIVED', 'LOGGED'] as const;
  for (const status of refused) expect(reasonAgainstRetry(sampleRecord({ status }))).toContain(status);
  expect(reasonAgainstRetry(sampleRecord({ redacted_at: '2026-03-01T12:00:00Z' }))).toContain('retention');
  expect(reasonAgainstRetry(sampleRecord({}))).toBeUndefined();
});

const ada = {
  phones: ['+447700900101'],
  emails: ['ada@example.com'],
  user_ids: ['US.1'],
  identifiers: [],
  opted_out: ['EMAIL'],
  do_not_contact: false,
} as unknown as Customer;
const waiting = sampleRecord({ status: 'QUEUED' });
const file = (state: 'STORED' | 'FAILED' | 'REDACTED') =>
  ({ id: 'f', name: 'a.pdf', media_type: 'application/pdf', size: 1, content_id: null, state, failure: null }) as const;

const why = (change: Partial<Communication>, customer: Partial<Customer> = {}, attempt = 1) =>
  whyOf({ ...waiting, ...change }, attempt, { ...ada, ...customer });
function whyOf(record: Communication, attempt: number, customer: Customer) {
  const nobody = { to: null, user_id: null };
  const recipient = isInternal(record.type) ? nobody : recipientOf(record.type as OutsideType, customer, null);
  const addressee = { ...recipient, window_open_until: null };
  return permission(record, attempt, customer, addressee).reason?.code ?? null;
}

test.each([
  ['a person may write to one who opted out of machines', why({}), null],
  ['a machine may not', why({ automated: true }), 'opted_out'],
  ['a machine may on another channel', why({ automated: true, type: 'SMS' }), null],
  ['nobody to whom nothing may be sent', why({}, { do_not_contact: true }), 'do_not_contact'],
  ['no address', why({}, { emails: [] }), 'no_recipient'],
  ['no phone, but an id of the messaging app', why({ type: 'MESSAGING_APP' }, { phones: [] }), null],
  ['an id of the messaging app is no use to SMS', why({ type: 'SMS' }, { phones: [] }), 'no_recipient'],
  ['an attempt before the current one', why({ attempt: 2 }), 'cancelled'],
  ['it was cancelled', why({ status: 'CANCELLED' }), 'cancelled'],
  ['a receipt says it went already', why({ status: 'SENT' }), 'cancelled'],
  ['its words are gone', why({ redacted_at: '2026-03-01T12:00:00Z' }), 'expired'],
  ['its file is there', why({ attachments: [file('STORED')] }), null],
  ['its file is gone', why({ attachments: [file('STORED'), file('REDACTED')] }), 'attachment_missing'],
  ['a note', why({ type: 'INTERNAL_NOTE', direction: 'INTERNAL' }), 'type_refused'],
  ['a note that claims to go out', why({ type: 'INTERNAL_NOTE' }), 'type_refused'],
  ['what came in', why({ direction: 'INBOUND' }), 'type_refused'],
])('%s', (_what, code, expected) => {
  expect(code).toBe(expected);
});

test('a permission says where to, and whose clock says whether it is night', () => {
  const addressee = { to: '+447700900101', user_id: 'US.1', window_open_until: '2026-03-02T12:00:00Z' };
  const somewhere = { ...ada, time_zone: 'Asia/Tashkent' };
  const asked = permission({ ...waiting, type: 'MESSAGING_APP' }, 1, somewhere, addressee);
  expect(asked).toEqual({ may_send: true, reason: null, ...addressee, time_zone: 'Asia/Tashkent' });
});
