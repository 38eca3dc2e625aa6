import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCallback } from './callback.rules.ts';
import { readForm } from './form.rules.ts';

const receivedAt = new Date('2026-03-01T10:00:00Z');
const read = (form: Record<string, string>, path = '/webhooks/sms') => {
  const body = Buffer.from(new URLSearchParams(form).toString());
  return readCallback(readForm(body), { path, body, receivedAt }).items[0];
};
const inbound = { MessageSid: 'SM1', AccountSid: 'AC1', From: '+447700900123', To: '+447700900000', Body: 'Hello' };

describe('what somebody sent', () => {
  test('a text message', () => {
    expect(read({ ...inbound, SmsStatus: 'received' })).toEqual({
      message: {
        provider: 'twilio',
        account: '+447700900000',
        kind: 'message',
        channel: 'SMS',
        external_id: 'SM1',
        occurred_at: receivedAt.toISOString(),
        claimed_at: null,
        sender_key: 'SMS:+447700900123',
        recipient: '+447700900000',
        sender: { address: '+447700900123', phone: '+447700900123', email: null, user_id: null, name: null },
        subject: null,
        body: 'Hello',
        parts: [],
        answers: { external_ids: [], token: null },
        target_external_id: null,
        emoji: null,
        new_identity: null,
        automatic: false,
        direction: 'INBOUND',
        imported: false,
        forwarded: false,
        group: null,
        contacts: [],
        place: null,
        opted_out: null,
      },
    });
  });

  test('files stay with the provider until they are fetched', () => {
    const media = {
      NumMedia: '2',
      MediaUrl0: 'https://x/0',
      MediaContentType0: 'image/jpeg',
      MediaUrl1: 'https://x/1',
    };
    expect(read({ ...inbound, Body: '', ...media })).toMatchObject({
      message: {
        body: '',
        parts: [
          { source: 'provider', ref: 'https://x/0', media_type: 'image/jpeg', role: 'file' },
          { source: 'provider', ref: 'https://x/1', media_type: 'application/octet-stream' },
        ],
      },
    });
  });

  test('by way of the messaging app, by a short code, and by nobody at all', () => {
    expect(read({ ...inbound, From: 'whatsapp:+447700900123', ProfileName: 'Ada' })).toMatchObject({
      message: { channel: 'MESSAGING_APP', sender: { phone: '+447700900123', name: 'Ada' } },
    });
    expect(read({ ...inbound, From: '60123' })).toMatchObject({
      message: { sender_key: 'SMS:60123', sender: { address: '60123', phone: null } },
    });
    const { From: _, ...anonymous } = inbound;
    expect(read(anonymous)).toMatchObject({
      message: { sender_key: 'SMS:unknown:SM1', sender: { address: 'unknown' } },
    });
  });

  test('an old form without MessageSid or To, and a place on the map', () => {
    expect(read({ SmsSid: 'SM2', From: '+12345', MessagingServiceSid: 'MG1', Body: 'x' })).toMatchObject({
      message: { external_id: 'SM2', account: 'MG1', recipient: null },
    });
    expect(read({ ...inbound, Body: '', Latitude: '51.5', Longitude: '-0.1', Label: 'Office' })).toMatchObject({
      message: { body: 'Location:\nOffice\n51.5, -0.1\nhttps://www.openstreetmap.org/?mlat=51.5&mlon=-0.1' },
    });
  });

  test('the same person is known by number and by id', () => {
    const From = 'whatsapp:+447700900123';
    expect(read({ ...inbound, From, ExternalUserId: 'GB.101' })).toMatchObject({
      message: { sender_key: 'MESSAGING_APP:+447700900123', sender: { phone: '+447700900123', user_id: 'GB.101' } },
    });
    expect(read({ ...inbound, From: 'whatsapp:GB.101', ExternalUserId: 'GB.101' })).toMatchObject({
      message: { sender_key: 'MESSAGING_APP:GB.101', sender: { phone: null, user_id: 'GB.101' } },
    });
    expect(read({ ...inbound, From, ExternalUserId: 'no id' })).toMatchObject({
      message: { sender: { user_id: null } },
    });
  });

  test('what was passed on says so', () => {
    expect(read({ ...inbound, Forwarded: 'true' })).toMatchObject({ message: { forwarded: true } });
    expect(read({ ...inbound, FrequentlyForwarded: 'true' })).toMatchObject({ message: { forwarded: true } });
  });

  const interactive = (data: unknown) => ({
    MessageType: 'interactive',
    Body: '',
    InteractiveData: typeof data === 'string' ? data : JSON.stringify(data),
  });

  test.each<[string, Record<string, string>, string]>([
    ['a button that says more than the text', { Body: 'yes_1', ButtonText: 'Yes, please' }, 'yes_1\nYes, please'],
    ['a button that says the same', { Body: 'Yes', ButtonText: 'Yes' }, 'Yes'],
    ['a row of a list', { Body: 'Tuesday', ListTitle: 'Tuesday', ListDescription: 'at noon' }, 'Tuesday\nat noon'],
    ['a form', interactive({ flow_token: 't', passport_number: 'X1' }), 'Passport number: X1'],
    [
      'a form in its wrapping',
      interactive({ type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: '{"passport_number":"X1"}' } }),
      'Sent\nPassport number: X1',
    ],
    ['a choice', interactive({ type: 'list_reply', list_reply: { id: '1', title: 'Tuesday' } }), 'Tuesday'],
    ['something unreadable', interactive('not json'), 'not json'],
    ['an answer that is missing', interactive(''), 'Sent something this channel cannot show: interactive'],
    ['a kind without words', { Body: '', MessageType: 'sticker' }, 'Sent something this channel cannot show: sticker'],
    ['nothing at all', { Body: '' }, 'Sent an empty message'],
    ['nothing, as text', { Body: '', MessageType: 'text' }, 'Sent an empty message'],
  ])('%s', (_, given, body) => {
    expect(read({ ...inbound, From: 'whatsapp:+447700900123', ...given })).toMatchObject({ message: { body } });
  });
});

describe('what became of a message of ours', () => {
  const status = { MessageSid: 'SM1', From: '+447700900000', To: '+447700900123' };
  const attempt = '0198c0de-0000-7000-8000-000000000001';

  test.each([
    ['sent', 'SENT'],
    ['delivered', 'DELIVERED'],
    ['read', 'READ'],
    ['failed', 'FAILED'],
    ['undelivered', 'FAILED'],
  ])('%s is %s', (MessageStatus, expected) => {
    const receipt = {
      provider: 'twilio',
      external_id: 'SM1',
      account: '+447700900000',
      status: expected,
      attempt_id: null,
    };
    expect(read({ ...status, MessageStatus })).toMatchObject({ receipt });
  });

  test('the attempt is told by the address we gave, if it is one of ours', () => {
    const of = (path: string) => read({ ...status, MessageStatus: 'read' }, path);
    expect(of(`/webhooks/sms?attempt=${attempt.toUpperCase()}`)).toMatchObject({ receipt: { attempt_id: attempt } });
    for (const path of ['/webhooks/sms?attempt=1', '/webhooks/sms?attempt=', '/webhooks/sms?x=%zz'])
      expect(of(path)).toMatchObject({ receipt: { attempt_id: null } });
  });

  test('a failure carries the provider’s code, a sentence of ours and the provider’s own words; nothing else does', () => {
    const failed = { ...status, MessageStatus: 'undelivered', ErrorCode: '30003', ErrorMessage: 'Unreachable' };
    expect(read(failed)).toMatchObject({
      receipt: {
        failure: {
          code: 'twilio:30003',
          message: 'The telephone cannot be reached: it is off, without a network, or takes no SMS',
          detail: 'Unreachable',
        },
      },
    });
    expect(read({ ...status, MessageStatus: 'failed' })).toMatchObject({
      receipt: { failure: { code: 'twilio:unknown' } },
    });
    expect(read({ ...status, MessageStatus: 'sent', ErrorCode: '1' })).toMatchObject({ receipt: { failure: null } });
  });

  test.each(['queued', 'sending', 'accepted', 'scheduled', 'canceled', 'constructor', 'surprise'])(
    '%s is no receipt',
    (MessageStatus) => {
      const aside = {
        notUnderstood: `${MessageStatus} is no receipt`,
        kind: 'status',
        external_id: `SM1:${MessageStatus}`,
      };
      expect(read({ ...status, MessageStatus })).toEqual(aside);
    },
  );
});

test('whatever the form, there is one item, and the same one each time', () => {
  const name = fc.constantFrom(
    'MessageSid',
    'SmsSid',
    'From',
    'To',
    'Body',
    'MessageStatus',
    'NumMedia',
    'MediaUrl0',
    'x',
  );
  const form = fc.dictionary(name, fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(form, (given) => {
      expect(read(given)).toBeDefined();
      expect(read(given)).toEqual(read(given));
    }),
  );
});

describe('what Twilio knows of the wishes of people', () => {
  const readAll = (form: Record<string, string>) => {
    const body = Buffer.from(new URLSearchParams(form).toString());
    return readCallback(readForm(body), { path: '/webhooks/sms', body, receivedAt }).items;
  };

  test.each([
    ['STOP', true],
    ['START', false],
    ['HELP', null],
    ['', null],
  ])('a keyword of the account that means %s', (OptOutType, opted_out) => {
    expect(readAll({ ...inbound, Body: 'GENUG', OptOutType })).toMatchObject([
      { message: { body: 'GENUG', opted_out } },
    ]);
  });

  test.each([
    ['21610', '+447700900123', 'SMS'],
    ['63014', 'whatsapp:+447700900123', 'MESSAGING_APP'],
  ])('a receipt with %s is a wish of its recipient besides', (ErrorCode, To, channel) => {
    const failed = { MessageSid: 'SM9', MessageStatus: 'undelivered', From: '+447700900000', To, ErrorCode };
    expect(readAll(failed)).toMatchObject([
      { receipt: { status: 'FAILED' } },
      {
        message: {
          kind: 'preference' as const,
          channel,
          external_id: 'SM9',
          opted_out: true as const,
          sender_key: `${channel}:+447700900123`,
          sender: { phone: '+447700900123' },
        },
      },
    ]);
    expect(readAll({ ...failed, ErrorCode: '30003' })).toHaveLength(1);
  });
});
