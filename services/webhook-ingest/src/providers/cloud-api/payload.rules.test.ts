import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Item } from '../provider.ts';
import { readPayload } from './payload.rules.ts';

const receivedAt = new Date('2026-03-01T10:00:00Z');
const metadata = { display_phone_number: '447700900000', phone_number_id: 'PHONE-1' };
const ada = { profile: { name: 'Ada' }, wa_id: '447700900123', user_id: 'GB.101' };

const read = (payload: unknown): Item[] => readPayload(Buffer.from(JSON.stringify(payload)), receivedAt).items;
const value = (content: object, field = 'messages') => ({
  entry: [{ id: 'WABA', changes: [{ field, value: { metadata, contacts: [ada], ...content } }] }],
});
const message = (given: object, content: object = {}) => {
  const base = { from: '447700900123', id: 'wamid.1', timestamp: '1772355600' };
  const [item] = read(value({ ...content, messages: [{ ...base, ...given }] }));
  return item && 'message' in item ? item.message : undefined;
};

describe('a message', () => {
  test('says who, where to, when and what', () => {
    expect(message({ type: 'text', text: { body: 'Hello' }, context: { id: 'wamid.0' } })).toEqual({
      provider: 'cloud-api',
      account: 'PHONE-1',
      kind: 'message',
      channel: 'MESSAGING_APP',
      external_id: 'wamid.1',
      occurred_at: '2026-03-01T09:00:00.000Z',
      claimed_at: null,
      sender_key: 'MESSAGING_APP:+447700900123',
      recipient: '447700900000',
      sender: {
        address: '447700900123',
        phone: '+447700900123',
        email: null,
        user_id: 'GB.101',
        name: 'Ada',
        username: null,
      },
      subject: null,
      body: 'Hello',
      parts: [],
      answers: { external_ids: ['wamid.0'], token: null },
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
    });
  });

  test.each<[string, object, string]>([
    ['image with a caption', { type: 'image', image: { id: 'M1', caption: 'Look' } }, 'Look'],
    ['voice note', { type: 'audio', audio: { id: 'M1', voice: true } }, ''],
    ['button', { type: 'button', button: { text: 'Yes', payload: 'y' } }, 'Yes'],
    ['button reply', { type: 'interactive', interactive: { button_reply: { id: 'b', title: 'Yes' } } }, 'Yes'],
    [
      'list reply',
      { type: 'interactive', interactive: { list_reply: { title: 'Tuesday', description: 'at noon' } } },
      'Tuesday\nat noon',
    ],
    [
      'form',
      { type: 'interactive', interactive: { nfm_reply: { body: 'Sent', response_json: '{"a":1}' } } },
      'Sent\nA: 1',
    ],
    [
      'place',
      { type: 'location', location: { name: 'Office', address: '1 High St', latitude: 51.5, longitude: 0 } },
      'Location:\nOffice\n1 High St\n51.5, 0\nhttps://www.openstreetmap.org/?mlat=51.5&mlon=0',
    ],
    [
      'bare place',
      { type: 'location', location: { latitude: 51.5, longitude: -0.1 } },
      'Location:\n51.5, -0.1\nhttps://www.openstreetmap.org/?mlat=51.5&mlon=-0.1',
    ],
    [
      'contact',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+44 7700 900 456' }] }] },
      'Contact: Bo, +44 7700 900 456',
    ],
    [
      'contact as a vCard',
      { type: 'contacts', contacts: [{ vcard: 'BEGIN:VCARD\nFN:Bo\nTEL;TYPE=CELL:447700900456\nEND:VCARD' }] },
      'Contact: Bo, 447700900456',
    ],
    [
      'order',
      { type: 'order', order: { text: 'Please', product_items: [{ product_retailer_id: 'P', quantity: 2 }] } },
      'Order:\n2 x P\nPlease',
    ],
    ['unsupported', { type: 'unsupported' }, 'Sent something this channel cannot show: unsupported'],
    [
      'unsupported that says what it was',
      { type: 'unsupported', unsupported: { type: 'poll' }, errors: [{ code: 131051, title: 'Unknown' }] },
      'Sent something this channel cannot show: poll (Unknown)',
    ],
    [
      'of a type nobody knows yet',
      { type: 'hologram', hologram: { x: 1 } },
      'Sent something this channel cannot show: hologram',
    ],
    ['without any type', {}, 'Sent something this channel cannot show: unknown'],
    ['interactive and empty', { type: 'interactive' }, 'Sent something this channel cannot show: interactive'],
    [
      'named like a property of every object',
      { type: 'constructor' },
      'Sent something this channel cannot show: constructor',
    ],
  ])('%s', (_, given, body) => {
    expect(message(given)).toMatchObject({ kind: 'message', body });
  });

  test('why it cannot be shown may stand beside it', () => {
    const errors = [{ code: 131000, title: 'Something went wrong', error_data: { details: 'Unsupported payload' } }];
    expect(
      read(value({ messages: [{ from: '447700900123', id: 'wamid.1', type: 'interactive' }], errors })),
    ).toMatchObject([
      { message: { body: 'Sent something this channel cannot show: interactive (Unsupported payload)' } },
    ]);
  });

  test('media wait at the provider, under their own type and name', () => {
    const document = { id: 'M1', mime_type: 'application/pdf', filename: 'permit.pdf', sha256: 'x' };
    expect(message({ type: 'document', document })?.parts).toEqual([
      {
        source: 'provider',
        ref: 'M1',
        role: 'file',
        name: 'permit.pdf',
        media_type: 'application/pdf',
        size: null,
        content_id: null,
      },
    ]);
  });

  test('a reaction, one taken back, an edit and a withdrawal belong to another message', () => {
    const reaction = (given: object) => message({ type: 'reaction', reaction: { message_id: 'wamid.0', ...given } });
    expect(reaction({ emoji: '👍🏻' })).toMatchObject({
      kind: 'reaction',
      target_external_id: 'wamid.0',
      emoji: '👍🏻',
    });
    expect(reaction({ emoji: '' })).toMatchObject({ kind: 'reaction', target_external_id: 'wamid.0', emoji: null });
    expect(reaction({})).toMatchObject({ kind: 'reaction', emoji: null });
    const edit = { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'Better' } } };
    expect(message({ type: 'edit', edit })).toMatchObject({
      kind: 'edit',
      target_external_id: 'wamid.0',
      body: 'Better',
    });
    const revoke = { original_message_id: 'wamid.0' };
    expect(message({ type: 'revoke', revoke })).toMatchObject({
      kind: 'withdrawal',
      target_external_id: 'wamid.0',
      body: '',
    });
  });

  test('what does not say which message it is about is not lost: words are a message, the rest is set aside', () => {
    const edited = { message: { type: 'text', text: { body: 'Better' } } };
    expect(message({ type: 'edit', edit: edited })).toMatchObject({ kind: 'message', body: 'Better' });
    for (const given of [{ type: 'reaction', reaction: { emoji: '👍' } }, { type: 'revoke' }])
      expect(read(value({ messages: [{ id: 'wamid.1', from: '447700900123', ...given }] }))).toMatchObject([
        { notUnderstood: expect.any(String), kind: given.type, external_id: 'wamid.1' },
      ]);
  });

  test('a chat that was opened is no message', () => {
    const [item] = read(value({ messages: [{ id: 'wamid.1', from: '447700900123', type: 'request_welcome' }] }));
    expect(item).toMatchObject({ notUnderstood: expect.any(String), kind: 'request_welcome', external_id: 'wamid.1' });
  });

  test.each<[string | undefined, string | null]>([
    ['TIMESTAMP', null],
    [undefined, null],
    ['1e400', null],
    ['-5', '1969-12-31T23:59:55.000Z'],
    ['9999999999', '2286-11-20T17:46:39.000Z'],
    ['99999999999999999', null],
  ])('a time of %s is not believed', (timestamp, claimed_at) => {
    const occurred_at = receivedAt.toISOString();
    expect(message({ type: 'text', text: { body: 'x' }, timestamp })).toMatchObject({ occurred_at, claimed_at });
  });
});

describe('the sender', () => {
  const said = { type: 'text', text: { body: 'x' } };

  test('may have an id and no phone', () => {
    const contacts = [{ profile: { name: 'Bo' }, user_id: 'GB.202' }];
    const nameless = { from: undefined, from_user_id: 'GB.202', group_id: '120@g.us', ...said };
    expect(message(nameless, { contacts })).toMatchObject({
      sender_key: 'MESSAGING_APP:GB.202',
      recipient: '447700900000',
      group: '120@g.us',
      sender: { address: 'GB.202', phone: null, user_id: 'GB.202', name: 'Bo' },
    });
    expect(message({ ...said, from: 'GB.ENT.202' }, { contacts })?.sender).toMatchObject({
      phone: null,
      user_id: 'GB.ENT.202',
    });
    expect(message({ ...said, from: undefined }, { contacts })?.sender).toMatchObject({
      phone: null,
      user_id: 'GB.202',
    });
  });

  test('is not whom the contacts speak of', () => {
    const contacts = [{ profile: { name: 'Somebody' }, wa_id: '447700900999', user_id: 'GB.9' }];
    expect(message(said, { contacts })?.sender).toMatchObject({ phone: '+447700900123', user_id: null, name: null });
  });

  test('is kept as given when it is no phone, and stands alone when there is none', () => {
    expect(message({ ...said, from: 'REDACTED' })).toMatchObject({
      sender_key: 'MESSAGING_APP:REDACTED',
      sender: { address: 'REDACTED', phone: null, user_id: null },
    });
    const nobody = message({ ...said, from: undefined }, { contacts: [] });
    expect(nobody).toMatchObject({ sender_key: 'MESSAGING_APP:unknown:wamid.1', sender: { address: 'unknown' } });
  });

  test.each<[string, object, object, object]>([
    [
      'a new number',
      { system: { type: 'user_changed_number', body: 'Ada changed', wa_id: '447700900456' } },
      { phone: '+447700900123' },
      { phone: '+447700900456', user_id: null },
    ],
    [
      'a new number in the older form',
      { system: { new_wa_id: '447700900456' } },
      { phone: '+447700900123' },
      { phone: '+447700900456', user_id: null },
    ],
    [
      'a new id, the old one standing in the sentence alone',
      { from: undefined, system: { body: 'User Ada changed from GB.101 to GB.303', user_id: 'GB.303' } },
      { user_id: 'GB.101', phone: null },
      { phone: null, user_id: 'GB.303' },
    ],
  ])('has %s', (_, given, sender, new_identity) => {
    expect(message({ type: 'system', ...given }, { contacts: undefined })).toMatchObject({
      kind: 'message',
      automatic: true,
      sender,
      new_identity,
    });
  });

  test('whose security code changed is the same person', () => {
    const system = { type: 'customer_identity_changed', body: 'User identity changed' };
    expect(message({ type: 'system', system })).toMatchObject({ body: 'User identity changed', new_identity: null });
  });

  test('got another id, and wrote nothing', () => {
    const update = {
      wa_id: '447700900123',
      user_id: { previous: 'GB.101', current: 'GB.303' },
      timestamp: '1772355600',
    };
    expect(read(value({ user_id_update: [update] }, 'user_id_update'))).toMatchObject([
      {
        message: {
          kind: 'identity',
          sender_key: 'MESSAGING_APP:+447700900123',
          external_id: expect.stringMatching(/^sha256:/),
          sender: { phone: '+447700900123', user_id: 'GB.101', name: 'Ada' },
          new_identity: { phone: '+447700900123', user_id: 'GB.303' },
        },
      },
    ]);
  });
});

describe('a status', () => {
  const status = (given: object) =>
    read(value({ statuses: [{ id: 'wamid.1', timestamp: '1772355600', ...given }] }))[0];
  const attempt = '0198c0de-0000-7000-8000-000000000001';

  test.each([
    ['sent', 'SENT'],
    ['delivered', 'DELIVERED'],
    ['read', 'READ'],
    ['played', 'READ'],
    ['failed', 'FAILED'],
  ])('%s is %s', (name, expected) => {
    expect(status({ status: name, recipient_user_id: 'GB.101' })).toMatchObject({
      receipt: {
        provider: 'cloud-api',
        account: 'PHONE-1',
        external_id: 'wamid.1',
        status: expected,
        attempt_id: null,
      },
    });
  });

  test('gives our attempt back, and the reason of a failure', () => {
    const errors = [{ code: 131047, title: 'Re-engagement', error_data: { details: 'More than 24 hours' } }];
    expect(status({ status: 'failed', biz_opaque_callback_data: attempt, errors })).toMatchObject({
      receipt: {
        attempt_id: attempt,
        failure: {
          code: 'cloud-api:131047',
          message: 'More than 24 hours have passed since the customer wrote: only a template may be sent',
          detail: 'More than 24 hours',
        },
      },
    });
    expect(status({ status: 'failed', biz_opaque_callback_data: 'campaign-7' })).toMatchObject({
      receipt: { attempt_id: null, failure: { code: 'cloud-api:unknown' } },
    });
  });

  test.each(['warning', 'constructor', ''])('%p is no receipt', (name) => {
    expect(status({ status: name })).toMatchObject({ notUnderstood: expect.any(String), kind: 'status' });
  });
});

test('entries, changes, messages and statuses all count, each under its own number', () => {
  const other = { display_phone_number: '1', phone_number_id: 'PHONE-2' };
  const payload = {
    entry: [
      ...value({ messages: [{ id: 'a' }, { id: 'b' }] }).entry,
      {
        changes: [
          {
            field: 'messages',
            value: { metadata: other, messages: [{ id: 'c' }], statuses: [{ id: 'd', status: 'sent' }] },
          },
          null,
        ],
      },
      'nonsense',
    ],
  };
  const told = read(payload).map((item) =>
    'message' in item
      ? [item.message.account, item.message.external_id]
      : 'receipt' in item
        ? [item.receipt.account, item.receipt.external_id]
        : item.kind,
  );
  expect(told).toEqual([['PHONE-1', 'a'], ['PHONE-1', 'b'], ['PHONE-2', 'c'], ['PHONE-2', 'd'], 'unnamed']);
});

test('news of the account is told apart from messages, with the codes of its errors', () => {
  expect(read(value({ event: 'DISABLED_UPDATE' }, 'account_update'))).toMatchObject([
    { kind: 'account_update', notUnderstood: 'account_update is no message' },
  ]);
  expect(read(value({ errors: [{ code: 131000 }] }))).toMatchObject([
    { notUnderstood: 'The provider reports messages errors 131000' },
  ]);
});

test('whatever the JSON, reading it ends, and the same way each time', () => {
  const name = fc.constantFrom(
    'entry',
    'changes',
    'value',
    'messages',
    'statuses',
    'contacts',
    'metadata',
    'text',
    'body',
    'id',
    'type',
    'from',
  );
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'large' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(name, tie('any'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(any, (given) => expect(read(given)).toEqual(read(given))),
    { numRuns: 500 },
  );
});
