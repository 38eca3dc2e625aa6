import { expect, test } from '@jest/globals';
import type { OptOut } from '../api/types.ts';
import { decisionInWords, standingInWords } from './opt-out-words.ts';

const nameOf = (id: string) => `Demo ${id}`;
const decision = (change: Partial<OptOut>) =>
  decisionInWords(
    {
      id: '0195c4e0-0000-7000-8000-000000000001',
      kind: 'phone',
      value: '+447700900123',
      channel: 'SMS',
      opted_out: true,
      source: 'words',
      at: '2026-11-03T10:00:00Z',
      by: null,
      reason: null,
      communication_id: null,
      ...change,
    },
    nameOf,
  );

test('an opt-out says by what, who said so and when', () => {
  expect(standingInWords('SMS', { source: 'words' }, '3 Nov')).toBe('Opted out of SMS: wrote STOP on 3 Nov');
  expect(standingInWords('MESSAGING_APP', { source: 'provider' }, '3 Nov')).toBe(
    'Opted out of the messaging app: told the provider on 3 Nov',
  );
});

test('a decision says what it was about', () => {
  expect(decision({})).toBe('Opted out of SMS to +447700900123: wrote STOP');
  expect(decision({ opted_out: false })).toBe('Opted in again to SMS to +447700900123: wrote START');
  expect(decision({ value: null, kind: null })).toBe('Opted out of SMS, all addresses: wrote STOP');
  expect(decision({ source: 'staff', by: 'agent', opted_out: false })).toBe(
    'Opted in again to SMS to +447700900123: Demo agent said so',
  );
  expect(decision({ source: 'provider', opted_out: false, channel: 'MESSAGING_APP' })).toBe(
    'Opted in again to the messaging app to +447700900123: told the provider',
  );
});
