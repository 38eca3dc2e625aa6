import { expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import type { Consumption } from './consumer.ts';
import { consume } from './consumer.ts';
import { BrokenEventError } from './errors.ts';
import { defineTopology } from './topology.ts';

const { timeline } = defineTopology('comms-service', { timeline: { name: 'comms-service:renewal:timeline' } }).queues;
const { upstream } = defineTopology('renewals-service', {
  upstream: { name: 'renewals-service:upstream:watch' },
}).queues;

const completed = {
  customer_id: 'C-1',
  occurred_at: '2030-01-01T00:00:00Z',
  renewal_id: '0195c4e0-0000-7000-8000-000000000001',
  service_type: 'RESIDENCE_PERMIT',
  due_date: '2030-01-31',
  next_renewal_id: null,
  next_due_date: null,
};
const issued = { customer_id: 'C-1', policy_id: 'P-1', end_date: '2030-01-31' };

const event = (type: string, data: object): Envelope => ({
  specversion: '1.0',
  id: 'event-1',
  source: 'test',
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  type,
  data: { ...data },
});

const give = ({ handle }: Consumption, ...events: Envelope[]) => handle({} as never, events);

test('a handler gets its events as the catalogue has them; a field added later disturbs nobody', async () => {
  const taken: Envelope[] = [];
  const take = async (_: unknown, events: Envelope[]) => void taken.push(...events);
  await give(consume(timeline, take), event('RENEWAL_COMPLETED', { ...completed, mood: 'good' }));
  await give(consume(upstream, take), event('policy.issued', issued));
  expect(taken).toEqual([
    event('RENEWAL_COMPLETED', completed),
    event('policy.issued', { ...issued, service_type: 'INSURANCE_POLICY' }),
  ]);
});

const never = () => Promise.reject(new Error('must not be called'));

test.each<[string, Envelope, string]>([
  ['lacks a fact', event('policy.issued', { ...issued, end_date: undefined }), 'data.end_date: is required'],
  ['is nothing this queue hears', event('policy.lapsed', issued), 'type: must be one of policy.issued, '],
])('an event of a system outside that %s is broken for good', async (_, broken, reason) => {
  const taking = give(consume(upstream, never), broken);
  await expect(taking).rejects.toBeInstanceOf(BrokenEventError);
  await expect(taking).rejects.toThrow(reason);
});

test('one of ours that cannot be read comes again: a version that reads it may be on its way', async () => {
  const taking = give(consume(timeline, never), event('RENEWAL_COMPLETED', { ...completed, due_date: 'soon' }));
  await expect(taking).rejects.toThrow(/^data\.due_date: /);
  await expect(taking).rejects.not.toBeInstanceOf(BrokenEventError);
});

test('a handler of what the queue does not hear is no handler of this queue', () => {
  const takeTriggered = async (_: unknown, __: EventOf<'RENEWAL_TRIGGERED'>[]) => {};
  const takeAll = async (_: unknown, __: EventOf<'RENEWAL_TRIGGERED' | 'RENEWAL_COMPLETED' | 'task.changed'>[]) => {};
  expect(consume(timeline, takeAll)).toMatchObject({ queue: timeline });
  // @ts-expect-error: it hears RENEWAL_COMPLETED as well
  expect(consume(timeline, takeTriggered)).toBeDefined();
  // @ts-expect-error: it hears no alerts
  expect(consume(upstream, takeAll)).toBeDefined();
});
