import { expect, test } from '@jest/globals';
import { events } from '@ops/contracts/events';
import { putCustomer } from '@ops/contracts/resources/customer';
import {
  customerChanged,
  isAlready,
  readCustomer,
  type StoredCustomer,
  toCustomer,
  type Wanted,
} from './customer.rules.ts';

const read = (input: object): Wanted => {
  const wanted = readCustomer(putCustomer.parse({ name: 'Ada Demo', ...input }), undefined, 'staff');
  if ('problems' in wanted) throw new Error(JSON.stringify(wanted.problems));
  return wanted;
};

const stored = (identifiers: StoredCustomer['identifiers']): StoredCustomer => ({
  ...read({}).profile,
  id: 'C-1',
  version: 3,
  created_at: '2026-01-01T00:00:00.000000Z',
  updated_at: '2026-01-02T00:00:00.000000Z',
  unread_count: 2,
  archived_at: null,
  sources: {},
  sort_key: 'ada demo',
  leads_to: null,
  identifiers,
});

const given = (value: string, opted_out: StoredCustomer['identifiers'][number]['opted_out'] = {}) =>
  ({ kind: 'phone', value, source: 'given', given_by: null, of: 'C-1', opted_out }) as const;
const learned = (value: string) =>
  ({ kind: 'phone', value, source: 'learned', given_by: null, of: 'C-1', opted_out: {} }) as const;

test('every bad identifier of a customer is named, phones and e-mails alike', () => {
  const input = putCustomer.parse({ name: 'Ada', phones: ['+41791234567', '12'], emails: ['ada@example.com', 'ada'] });
  expect(readCustomer(input, undefined, 'staff')).toMatchObject({
    problems: [{ path: 'phones.1' }, { path: 'emails.1' }],
  });
});

test('a preference that is left out is none, as one that is null', () => {
  expect(read({ locale: null }).profile).toEqual(read({}).profile);
});

test('the same customer again is no change; a field, an identifier or their order is one', () => {
  const before = stored([given('+41791234567'), given('+41446681800')]);
  const phones = ['+41791234567', '+41446681800'];
  expect(isAlready(before, read({ phones }))).toBe(true);
  expect(isAlready(before, read({ phones, locale: 'de' }))).toBe(false);
  expect(isAlready(before, read({ phones: phones.toReversed() }))).toBe(false);
  expect(isAlready(before, read({ phones: phones.slice(0, 1) }))).toBe(false);
  expect(isAlready(before, read({ phones, emails: ['ada@example.com'] }))).toBe(false);
});

test('what was learned neither counts as given nor is shown twice', () => {
  const both = stored([given('+41791234567'), learned('+41446681800'), learned('+41791234567')]);
  expect(isAlready(both, read({ phones: ['+41791234567'] }))).toBe(true);
  expect(toCustomer(both).phones).toEqual(['+41791234567', '+41446681800']);
});

test('customer.changed carries the whole customer, without the count that moves by itself', () => {
  const customer = toCustomer(
    stored([given('+41791234567', { SMS: { at: '2026-01-01T00:00:00.000000Z', source: 'words' } })]),
  );
  const data = customerChanged(customer);
  expect(events['customer.changed'].data.strict().parse(data)).toEqual(data);
  expect(data).toMatchObject({ customer_id: 'C-1', version: 3, phones: ['+41791234567'], opted_out: ['SMS'] });
});
