import { describe, expect, test } from '@jest/globals';
import { basic, mailOf, messageIn, newId, receivedAt } from '../../../test/mails.ts';
import type { RawRequest } from '../provider.ts';
import { createPostmark } from './postmark-provider.ts';

const postmark = createPostmark({ credentials: ['old:secret', 'inbound:pass:word'], newId });

const request = (payload: unknown, authorization = basic('inbound:pass:word')): RawRequest => ({
  method: 'POST',
  path: '/webhooks/email/postmark',
  headers: { authorization },
  receivedAt,
  body: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
});

describe('who may post', () => {
  test.each(['inbound:pass:word', 'old:secret'])('%s may', (pair) => {
    expect(postmark.turnsAway({ authorization: basic(pair) })).toBeUndefined();
    expect(postmark.verify(request({}, basic(pair)))).toEqual({ ok: true });
  });

  test.each([
    basic('inbound:wrong'),
    basic('inbound:pass'),
    basic('inbound:pass:word').toUpperCase(),
    basic(''),
    'Basic',
    `Bearer ${Buffer.from('inbound:pass:word').toString('base64')}`,
    '',
  ])('%s may not', (authorization) => {
    expect(postmark.turnsAway({ authorization })).toBe('its credentials are not ours');
    expect(postmark.verify(request({}, authorization))).toMatchObject({ ok: false });
  });

  test('nobody may, while nothing is set', () => {
    const unset = createPostmark({ credentials: undefined, newId });
    const reason = 'EMAIL_POSTMARK_BASIC_AUTH is not set';
    expect(unset.turnsAway({ authorization: basic('') })).toBe(reason);
    expect(unset.verify(request({}))).toEqual({ ok: false, reason });
  });
});

const inbound = {
  FromName: 'Ada',
  MessageStream: 'inbound',
  From: 'ada@example.com',
  FromFull: { Email: 'ada@example.com', Name: 'Ada "the" Example', MailboxHash: '' },
  To: 'office+0123456789abcdef0123456789abcdef@firm.example',
  ToFull: [
    {
      Email: 'office+0123456789abcdef0123456789abcdef@firm.example',
      Name: '',
      MailboxHash: '0123456789abcdef0123456789abcdef',
    },
  ],
  OriginalRecipient: 'abc@inbound.postmarkapp.example',
  MailboxHash: '0123456789abcdef0123456789abcdef',
  Subject: 'Permit',
  MessageID: '73e6d360-66eb-11e1-8e72-a8904824019b',
  Date: 'Tue, 5 May 2026 08:00:00 +0000',
  TextBody: 'Hello\n> before',
  HtmlBody: '<p>Hello</p>',
  StrippedTextReply: 'Hello',
  Headers: [
    { Name: 'Message-ID', Value: '<m-9@example.com>' },
    { Name: 'In-Reply-To', Value: '<m-6@firm.example>' },
  ],
  Attachments: [{ Name: 'a.png', Content: 'AQID', ContentType: 'image/png', ContentLength: 3, ContentID: 'logo@x' }],
};

test('the parsed fields of a mail are read, the whole text of it', async () => {
  const reading = await postmark.read(request(inbound));
  expect(messageIn(reading)).toMatchObject({
    provider: 'postmark',
    external_id: '<m-9@example.com>',
    subject: 'Permit',
    body: 'Hello\n> before',
    occurred_at: '2026-05-05T08:00:00.000Z',
    sender: { email: 'ada@example.com', name: 'Ada "the" Example' },
    answers: { external_ids: ['<m-6@firm.example>'], token: '0123456789abcdef0123456789abcdef' },
    parts: [{ role: 'html' }, { role: 'file', name: 'a.png', size: 3, content_id: 'logo@x' }],
  });
  expect(reading.parts[1]?.bytes).toEqual(Buffer.from([1, 2, 3]));
});

test('a mail as it travelled is read where it is given, and our token though the address lost it', async () => {
  const message = messageIn(
    await postmark.read(request({ ...inbound, To: '', ToFull: [], RawEmail: mailOf().toString() })),
  );
  expect(message).toMatchObject({ external_id: '<m-1@example.com>', body: 'Hello' });
  expect(message.answers.token).toBe('0123456789abcdef0123456789abcdef');
});

test('one whose bytes JSON has lost is read by its parsed fields', async () => {
  const message = messageIn(
    await postmark.read(request({ ...inbound, RawEmail: mailOf({}, 'Z\ufffdrich').toString() })),
  );
  expect(message.external_id).toBe('<m-9@example.com>');
});

describe('whether the sender is who they say', () => {
  const verdict = async (...given: [name: string, value: string][]) => {
    const Headers = [...given.map(([Name, Value]) => ({ Name, Value })), ...inbound.Headers];
    return messageIn(await postmark.read(request({ ...inbound, Headers }))).sender_verified;
  };
  const spf = (word: string, from = 'ada@example.com') =>
    ['Received-SPF', `${word} (by our server) identity=mailfrom; envelope-from=${from}; helo=mx`] as [string, string];
  const tests = (...names: string[]) => ['X-Spam-Tests', names.join()] as [string, string];

  test('is what Postmark found, and not what came with the mail', async () => {
    expect(await verdict()).toBe('unknown');
    expect(await verdict(spf('Pass'))).toBe('pass');
    expect(await verdict(spf('Pass', 'eve@evil.example'))).toBe('unknown');
    expect(await verdict(spf('Fail'))).toBe('fail');
    expect(await verdict(spf('Fail'), spf('Pass'))).toBe('fail');
    expect(await verdict(tests('DKIM_VALID', 'SPF_FAIL'))).toBe('fail');
    expect(await verdict(tests('DKIM_VALID_AU'), spf('Fail'))).toBe('pass');
    expect(await verdict(tests('DMARC_REJECT', 'DKIM_VALID_AU'), spf('Pass'))).toBe('fail');
    expect(await verdict(['Authentication-Results', 'mx.evil.example; dmarc=pass'], spf('Fail'))).toBe('fail');
  });
});

test('one with next to nothing is a message all the same', async () => {
  expect(messageIn(await postmark.read(request({ From: 'ada@example.com', TextBody: 7 })))).toMatchObject({
    body: '7',
    sender: { email: 'ada@example.com' },
    external_id: expect.stringMatching(/^sha256:/),
  });
});

test('what became of a mail sent is no message', async () => {
  const { items } = await postmark.read(
    request({ RecordType: 'Delivery', MessageID: 'x-1', Recipient: 'a@b.example' }),
  );
  expect(items).toEqual([{ notUnderstood: 'The event Delivery is no message', kind: 'Delivery', external_id: 'x-1' }]);
});

test.each([
  ['{', 'The body is not JSON'],
  ['[]', 'The payload holds no mail'],
  ['null', 'The payload holds no mail'],
])('%s is kept as not understood', async (payload, problem) => {
  expect(await postmark.read(request(payload))).toEqual({ items: [], parts: [], problem });
});
