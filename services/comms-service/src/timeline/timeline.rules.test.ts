import { expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import { lineOf } from './timeline.rules.ts';

const triggered = {
  customer_id: 'C-1',
  occurred_at: '2026-03-01T02:00:00Z',
  renewal_id: '0195c4e0-0000-7000-8000-000000000001',
  service_type: 'RESIDENCE_PERMIT',
  due_date: '2026-03-31',
  rung: '30',
  days_until_due: 30,
  superseded: [],
  service_label: 'Residence permit',
  version: 1,
  assigned_agent: null,
  reminders: 'on',
};

const event = (type: string, data: Envelope['data']): Envelope => ({
  specversion: '1.0',
  id: 'event-1',
  source: 'renewals-service',
  subject: 'C-1',
  time: '2026-03-01T02:00:00Z',
  type,
  data,
});

test('a renewal alert writes a line with what a screen needs', () => {
  const { customer_id, occurred_at, ...data } = triggered;
  expect(lineOf(event('RENEWAL_TRIGGERED', triggered))).toEqual({
    event_id: 'event-1',
    type: 'RENEWAL_TRIGGERED',
    communication_id: null,
    customer_id,
    occurred_at,
    data,
  });
});

test('a field the contract does not name never reaches the timeline', () => {
  expect(lineOf(event('RENEWAL_TRIGGERED', { ...triggered, body: 'words' })).data).not.toHaveProperty('body');
});

test('an event that lacks its facts, or is no timeline event, is refused', () => {
  expect(() => lineOf(event('RENEWAL_TRIGGERED', { customer_id: 'C-1' }))).toThrow();
  expect(() => lineOf(event('customer.changed', triggered))).toThrow();
});
