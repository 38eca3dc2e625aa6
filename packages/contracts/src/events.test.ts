import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { concernsQueues, events, messageTypeInText } from './events.ts';
import { outsideType } from './resources/communication.ts';

const carriers = Object.entries(events).filter(([, { data }]) => 'body' in data.shape);

test('an alert of the version before, which knows none that are silent, is none', () => {
  expect(events.RENEWAL_TRIGGERED.data.shape.silent.parse(undefined)).toBe(false);
});

test('some events carry the words of a message', () => {
  expect(carriers.map(([type]) => type)).toContain('provider.message.received');
});

test.each(carriers)('%s says of which type its message is, where it is looked for', (type, { data }) => {
  const shape: Record<string, z.ZodType> = data.shape;
  const fields = ['type', 'channel'].filter((name) => shape[name] === outsideType);
  for (const said of outsideType.options) {
    const text = JSON.stringify({ type, data: Object.fromEntries(fields.map((name) => [name, said])) });
    expect(new RegExp(messageTypeInText).exec(text)?.[1]).toBe(said);
  }
});

const about = '0195c4e0-0000-7000-8000-000000000001';
const message = {
  customer_id: 'C-1',
  occurred_at: '2030-01-01T00:00:00Z',
  change: 'created',
  communication_id: '0195c4e0-0000-7000-8000-000000000002',
  type: 'SMS',
  direction: 'INBOUND',
  status: 'RECEIVED',
  renewal_id: null,
  in_reply_to: null,
  written_at: '2030-01-01T00:00:00Z',
};

const concerns = (said: object, type = 'communication.changed') =>
  concernsQueues({
    specversion: '1.0',
    id: about,
    source: 'comms-service',
    subject: 'C-1',
    time: '2030-01-01T00:00:00Z',
    type,
    data: { ...message, ...said },
  });

test.each<[string, object, boolean]>([
  ['about no renewal', {}, false],
  ['about one', { renewal_id: about }, true],
  ['that is marked as read', { renewal_id: about, change: 'read' }, false],
  ['whose file came', { renewal_id: about, change: 'attachment' }, false],
  ['delivered, about one', { renewal_id: about, change: 'status', direction: 'OUTBOUND', status: 'DELIVERED' }, true],
  ['delivered, about none', { change: 'status', direction: 'OUTBOUND', status: 'DELIVERED' }, false],
  ['that is about one no longer', { change: 'unlinked', renewal_id: about }, true],
  ['of another customer, and so about none', { change: 'moved' }, true],
  ['amended, which answers what is about none', { change: 'amended', in_reply_to: about }, true],
  ['amended', { change: 'amended' }, false],
  ['and many more', { communication_id: null, change: 'unread', renewal_id: about }, false],
])('renewals-service hears of a message %s: %j %s', (_, said, heard) => {
  expect(concerns(said)).toBe(heard);
});

test.each(Object.entries(events).filter(([, spec]) => 'concerns' in spec))(
  'of %s somebody hears, whatever it says: live screens',
  (_, { live }) => expect(live).toBe(true),
);

test('what cannot be read may concern whoever listens, and so does all of a type that does not say', () => {
  expect([concerns({ change: 'sung' }), concerns({}, 'customer.changed'), concerns({}, 'later.version')]).toEqual([
    true,
    true,
    true,
  ]);
});
