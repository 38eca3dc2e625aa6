import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Item } from '../provider.ts';
import { readPayload } from './payload.rules.ts';

const receivedAt = new Date('2026-03-01T10:00:00Z');
const metadata = { display_phone_number: '+44 7700 900000', phone_number_id: 'PHONE-1' };
const read = (value: object, field: string): Item[] =>
  readPayload(
    Buffer.from(JSON.stringify({ entry: [{ changes: [{ field, value: { metadata, ...value } }] }] })),
    receivedAt,
  ).items;

const text = (body: string) => ({ type: 'text', text: { body } });

describe('what staff write on the phone', () => {
  const echo = (given: object) =>
    read(
      {
        message_echoes: [
          { from: '447700900000', to: '447700900123', id: 'wamid.1', timestamp: '1772355600', ...given },
        ],
      },
      'smb_message_echoes',
    )[0];

  test('went out, to whom it names', () => {
    expect(echo(text('Come on Thursday'))).toMatchObject({
      message: {
        kind: 'message',
        direction: 'OUTBOUND',
        imported: false,
        external_id: 'wamid.1',
        occurred_at: '2026-03-01T09:00:00.000Z',
        sender_key: 'MESSAGING_APP:+447700900123',
        sender: { phone: '+447700900123', name: null },
        body: 'Come on Thursday',
        automatic: false,
      },
    });
  });

  test('may go to somebody without a number', () => {
    expect(echo({ ...text('x'), to: undefined, to_user_id: 'GB.101' })).toMatchObject({
      message: {
        direction: 'OUTBOUND',
        sender_key: 'MESSAGING_APP:GB.101',
        sender: { phone: null, user_id: 'GB.101' },
      },
    });
  });

  test('is edited, withdrawn and reacted with there as well', () => {
    const original_message_id = 'wamid.0';
    expect(echo({ type: 'revoke', revoke: { original_message_id } })).toMatchObject({
      message: { kind: 'withdrawal', direction: 'OUTBOUND', target_external_id: 'wamid.0' },
    });
    expect(echo({ type: 'edit', edit: { original_message_id, message: text('Friday') } })).toMatchObject({
      message: { kind: 'edit', direction: 'OUTBOUND', target_external_id: 'wamid.0', body: 'Friday' },
    });
    expect(echo({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } })).toMatchObject({
      message: { kind: 'reaction', direction: 'OUTBOUND', target_external_id: 'wamid.0', emoji: '👍' },
    });
  });
});

describe('the history of the phone', () => {
  const ours = { from: '447700900000' };
  const theirs = { from: '447700900123' };
  const at = (timestamp: string) => ({ timestamp });
  const history = (...messages: object[]) =>
    read({ history: [{ metadata: { phase: 0 }, threads: [{ id: '447700900123', messages }] }] }, 'history');

  test('went both ways, in its own time, and nobody wrote it now', () => {
    const items = history(
      { ...ours, id: 'wamid.1', ...at('1757000000'), ...text('Hello'), history_context: { status: 'READ' } },
      { ...theirs, id: 'wamid.2', ...at('1757000100'), ...text('Thanks'), history_context: { status: 'READ' } },
    );
    expect(items).toMatchObject([
      {
        variant: 'history',
        message: {
          direction: 'OUTBOUND',
          imported: true,
          automatic: false,
          occurred_at: '2025-09-04T15:33:20.000Z',
          sender: { phone: '+447700900123' },
          body: 'Hello',
        },
      },
      { receipt: { external_id: 'wamid.1', status: 'READ' } },
      {
        variant: 'history',
        message: { direction: 'INBOUND', imported: true, automatic: true, sender: { phone: '+447700900123' } },
      },
    ]);
  });

  test.each([
    ['DELIVERED', ['DELIVERED']],
    ['PLAYED', ['READ']],
    ['ERROR', ['FAILED']],
    ['SENT', ['SENT']],
    ['PENDING', []],
    [undefined, []],
  ])('what became of a message of ours stands beside it: %s', (status, expected) => {
    const items = history({ ...ours, id: 'wamid.1', ...at('1757000000'), ...text('x'), history_context: { status } });
    expect(items.flatMap((item) => ('receipt' in item ? item.receipt.status : []))).toEqual(expected);
  });

  test('tells of files before it hands them over, and both are heard', () => {
    const [placeholder] = history({ ...theirs, id: 'wamid.3', ...at('1757000000'), type: 'media_placeholder' });
    expect(placeholder).toMatchObject({
      variant: 'history:placeholder',
      message: { body: 'Sent a file that the phone has not handed over', parts: [] },
    });
    const image = { id: 'M1', mime_type: 'image/jpeg', caption: 'My passport' };
    const handedOver = { ...theirs, id: 'wamid.3', ...at('1757000000'), type: 'image', image };
    expect(read({ messages: [handedOver] }, 'history')).toMatchObject([
      {
        variant: 'history',
        message: { imported: true, direction: 'INBOUND', body: 'My passport', parts: [{ ref: 'M1' }] },
      },
    ]);
    expect(read({ messages: [{ ...handedOver, ...ours, to: '447700900123' }] }, 'history')).toMatchObject([
      { message: { direction: 'OUTBOUND', sender: { phone: '+447700900123' } } },
    ]);
  });

  test('may be of somebody without a number', () => {
    const thread = { id: 'GB.101', context: { user_id: 'GB.101', username: 'ada' } };
    const messages = [
      { from_user_id: 'GB.101', id: 'wamid.1', ...text('x') },
      { ...ours, id: 'wamid.2', ...text('y') },
    ];
    expect(read({ history: [{ threads: [{ ...thread, messages }] }] }, 'history')).toMatchObject([
      { message: { direction: 'INBOUND', sender: { user_id: 'GB.101', phone: null, username: 'ada' } } },
      { message: { direction: 'OUTBOUND', sender: { user_id: 'GB.101', phone: null } } },
    ]);
  });

  test('that is not shared is no message', () => {
    const errors = [{ code: 2593109, title: 'History sync is turned off' }];
    expect(read({ history: [{ errors }] }, 'history')).toMatchObject([
      { notUnderstood: 'The provider reports history errors 2593109' },
    ]);
  });

  test('is never of the future', () => {
    const times = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
    fc.assert(
      fc.property(times, (time) => {
        const [item] = history({ ...theirs, id: 'wamid.1', ...at(String(time)), ...text('x') });
        const told = item && 'message' in item ? item.message.occurred_at : '';
        expect(Date.parse(told)).toBeLessThanOrEqual(receivedAt.getTime());
      }),
    );
  });
});

test('a message that was passed on, or written in a group, says so', () => {
  const said = (context: object | undefined, more: object = {}) =>
    read({ messages: [{ from: '447700900123', id: 'wamid.1', context, ...text('x'), ...more }] }, 'messages');
  expect(said({ forwarded: true })).toMatchObject([{ message: { forwarded: true, group: null } }]);
  expect(said({ frequently_forwarded: true })).toMatchObject([{ message: { forwarded: true } }]);
  expect(said(undefined, { group_id: '120@g.us' })).toMatchObject([
    { message: { forwarded: false, group: '120@g.us', recipient: '+44 7700 900000' } },
  ]);
});

test('a username is kept beside the name', () => {
  const contacts = [{ profile: { name: 'Bo', username: '@bo' }, user_id: 'GB.202' }];
  expect(read({ contacts, messages: [{ from_user_id: 'GB.202', id: 'w', ...text('x') }] }, 'messages')).toMatchObject([
    { message: { sender: { name: 'Bo', username: '@bo', address: 'GB.202' } } },
  ]);
});

describe('a call', () => {
  const call = (given: object) =>
    read({ calls: [{ id: 'wacid.1', from: '447700900123', timestamp: '1772355600', ...given }] }, 'calls');

  test.each([
    ['not taken', { event: 'terminate', status: 'FAILED' }, 'Called on the messaging app; nobody took the call'],
    ['taken', { event: 'terminate', status: 'COMPLETED', duration: 95 }, 'Called on the messaging app, 95 seconds'],
  ])('of a customer, %s, is something they did', (_, given, body) => {
    expect(call({ direction: 'USER_INITIATED', ...given })).toMatchObject([
      {
        message: {
          kind: 'message',
          direction: 'INBOUND',
          external_id: 'wacid.1',
          body,
          sender: { phone: '+447700900123' },
        },
      },
    ]);
  });

  test.each([
    { event: 'connect', direction: 'USER_INITIATED' },
    { event: 'terminate', direction: 'BUSINESS_INITIATED' },
  ])('in between, or ours, is not: %j', (given) => {
    expect(call(given)).toMatchObject([{ notUnderstood: 'calls is no message' }]);
  });
});
