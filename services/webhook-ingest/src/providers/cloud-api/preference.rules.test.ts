import { expect, test } from '@jest/globals';
import type { Item } from '../provider.ts';
import { readPayload } from './payload.rules.ts';

const receivedAt = new Date('2026-03-01T10:00:00Z');
const metadata = { display_phone_number: '447700900000', phone_number_id: 'PHONE-1' };

const read = (content: object, field: string): Item[] => {
  const payload = { entry: [{ id: 'WABA', changes: [{ field, value: { metadata, ...content } }] }] };
  return readPayload(Buffer.from(JSON.stringify(payload)), receivedAt).items;
};

const preference = (given: object) =>
  read(
    { user_preferences: [{ wa_id: '447700900123', category: 'marketing_messages', timestamp: 1772355600, ...given }] },
    'user_preferences',
  );

test.each([
  ['stop', true],
  ['resume', false],
])('a %s in the settings of the app is a wish of whoever set it, and no message', (value, opted_out) => {
  expect(preference({ value, detail: 'A sentence of the provider' })).toMatchObject([
    {
      message: {
        kind: 'preference',
        channel: 'MESSAGING_APP',
        account: 'PHONE-1',
        sender: { phone: '+447700900123' },
        body: '',
        opted_out,
        occurred_at: '2026-03-01T09:00:00.000Z',
      },
    },
  ]);
});

test('somebody without a phone is known by their id; another wish, or nobody, is set aside', () => {
  expect(preference({ value: 'stop', wa_id: undefined, user_id: 'GB.101' })).toMatchObject([
    { message: { sender: { phone: null, user_id: 'GB.101' } } },
  ]);
  for (const value of ['pause', undefined, 7, 'toString'])
    expect(preference({ value })).toMatchObject([{ notUnderstood: expect.any(String), kind: 'preference' }]);
});

const button = (given: object) =>
  read({ messages: [{ from: '447700900123', id: 'wamid.1', type: 'button', button: given }] }, 'messages');

test('"Stop promotions" under a template of ours is a message, and says so; another button says nothing', () => {
  expect(button({ payload: 'Stop promotions', text: 'Stop promotions' })).toMatchObject([
    { message: { kind: 'message', body: 'Stop promotions', opted_out: true } },
  ]);
  expect(button({ payload: 'yes', text: 'Call me' })).toMatchObject([{ message: { opted_out: null } }]);
});

const status = (code: number) =>
  read(
    {
      statuses: [
        { id: 'wamid.9', status: 'failed', timestamp: '1772355600', recipient_id: '447700900123', errors: [{ code }] },
      ],
    },
    'messages',
  );

test('a receipt that says that its recipient stopped our messages is a wish besides', () => {
  expect(status(131_050)).toMatchObject([
    { receipt: { external_id: 'wamid.9', status: 'FAILED' } },
    { message: { kind: 'preference', external_id: 'wamid.9', sender: { phone: '+447700900123' }, opted_out: true } },
  ]);
  expect(status(131_026)).toHaveLength(1);
});
