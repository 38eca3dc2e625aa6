import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { mailOf, messageIn, newId, receivedAt } from '../../../test/mails.ts';
import type { RawRequest } from '../provider.ts';
import { createMailgun } from './mailgun-provider.ts';

const key = 'signing-key';
const mailgun = createMailgun({ signingKeys: ['new-key', key], toleranceSeconds: 300, newId });

const seconds = receivedAt.getTime() / 1000;
const sign = (timestamp: string, token: string) =>
  createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
const tokenOf = (n: number) => String(n).repeat(50);
const signed = (age = 0, token = tokenOf(1)) => {
  const timestamp = String(seconds - age);
  return { timestamp, token, signature: sign(timestamp, token) };
};

/** Read with the boundary between time and token elsewhere, what was signed is the same. */
function movedBy(digits: number) {
  const { timestamp, token, signature } = signed();
  const both = timestamp + token;
  return { timestamp: both.slice(0, 10 + digits), token: both.slice(10 + digits), signature };
}

const request = (body: string | Buffer, contentType: string): RawRequest => ({
  method: 'POST',
  path: '/webhooks/email/mailgun',
  headers: { 'content-type': contentType },
  body: Buffer.from(body),
  receivedAt,
});
const form = (fields: Record<string, string>) =>
  request(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded');

async function multipart(fields: Record<string, string | File>): Promise<RawRequest> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  const whole = new Response(data);
  return request(Buffer.from(await whole.arrayBuffer()), whole.headers.get('content-type') ?? '');
}

describe('who signed it', () => {
  test('a form, a form of parts and JSON, each with its token', async () => {
    const good = { ok: true, replayKey: tokenOf(1) };
    expect(await mailgun.verify(form(signed()))).toEqual(good);
    expect(await mailgun.verify(await multipart(signed()))).toEqual(good);
    const json = JSON.stringify({ signature: signed(), 'event-data': {} });
    expect(await mailgun.verify(request(json, 'application/json; charset=utf-8'))).toEqual(good);
  });

  test.each([
    ['no signature', { ...signed(), signature: '' }],
    ['a short signature', { ...signed(), signature: sign('1', '2').slice(2) }],
    ['another signature', { ...signed(), signature: sign('1', '2') }],
    ['another token', { ...signed(), token: tokenOf(2) }],
    ['another time', { ...signed(), timestamp: String(seconds - 1) }],
    ['no token', { timestamp: String(seconds), token: '', signature: sign(String(seconds), '') }],
    ['a time that is none', { timestamp: '1e9', token: tokenOf(1), signature: sign('1e9', tokenOf(1)) }],
    ['a token that is none', { timestamp: String(seconds), token: 't', signature: sign(String(seconds), 't') }],
    ['a time long past', signed(301)],
    ['a time to come', signed(-301)],
  ])('%s is refused', async (_, fields) => {
    expect(await mailgun.verify(form(fields))).toMatchObject({ ok: false });
  });

  test('a digit moved between time and token is no signature: both are signed as one', async () => {
    for (const digits of [1, -1])
      expect(await mailgun.verify(form(movedBy(digits)))).toEqual({ ok: false, reason: 'it carries no signature' });
  });

  test('a time within the tolerance is taken', async () => {
    expect(await mailgun.verify(form(signed(300)))).toMatchObject({ ok: true });
    expect(await mailgun.verify(form(signed(-300)))).toMatchObject({ ok: true });
  });

  test('nobody, while no key is set', async () => {
    const unset = createMailgun({ signingKeys: undefined, toleranceSeconds: 300, newId });
    expect(unset.turnsAway({})).toBe('EMAIL_MAILGUN_SIGNING_KEY is not set');
    expect(await unset.verify(form(signed()))).toMatchObject({ ok: false });
  });
});

describe('what anybody may post without a signature', () => {
  const mib = 1024 * 1024;
  test('is read no further than a form goes: names alone, signs alone', async () => {
    for (const unit of ['a&', '+', '%41', 'a=+&'])
      expect(
        await mailgun.verify(request(Buffer.alloc(40 * mib, unit), 'application/x-www-form-urlencoded')),
      ).toMatchObject({ ok: false });
  });

  test('is not parsed as JSON when it is larger than an event', async () => {
    const large = { signature: signed(), 'event-data': { event: 'opened', filling: ' '.repeat(mib) } };
    expect(await mailgun.verify(request(JSON.stringify(large), 'application/json'))).toMatchObject({ ok: false });
  });
});

const parsed = {
  ...signed(),
  recipient: 'office+0123456789abcdef0123456789abcdef@firm.example',
  sender: 'bounce@example.com',
  subject: 'Permit ✓',
  from: 'Ada <ada@example.com>',
  'body-plain': 'Hello\r\n\r\n> before',
  'stripped-text': 'Hello',
  'message-headers': JSON.stringify([
    ['From', 'Ada <ada@example.com>'],
    ['Message-Id', '<m-7@example.com>'],
    ['In-Reply-To', '<m-6@firm.example>'],
    ['Date', 'Tue, 5 May 2026 08:00:00 +0000'],
  ]),
  'attachment-count': '0',
};

test('the parsed fields of a mail are read, the whole text of it', async () => {
  expect(messageIn(await mailgun.read(form(parsed)))).toMatchObject({
    provider: 'mailgun',
    account: 'firm.example',
    external_id: '<m-7@example.com>',
    subject: 'Permit ✓',
    body: 'Hello\n\n> before',
    occurred_at: '2026-05-05T08:00:00.000Z',
    sender: { email: 'ada@example.com' },
    answers: { external_ids: ['<m-6@firm.example>'], token: '0123456789abcdef0123456789abcdef' },
  });
});

test('a subject that stands among the headers alone is read there, as it was written', async () => {
  const { subject: _, ...rest } = parsed;
  const headers = JSON.stringify([...JSON.parse(parsed['message-headers']), ['Subject', '=?cp850?Q?Gr=81=E1e?=']]);
  const of = async (fields: object) =>
    messageIn(await mailgun.read(form({ ...rest, ...fields, 'message-headers': headers }))).subject;
  expect(await of({})).toBe('Grüße');
  expect(await of({ subject: '' })).toBe('Grüße');
  expect(await of({ subject: 'Permit' })).toBe('Permit');
});

test('letters of eight bits are read in either kind of form', async () => {
  const { 'body-plain': _, ...rest } = parsed;
  const { body } = form(rest);
  const given = request(
    Buffer.concat([body, Buffer.from('&body-plain=Gr%FC%DFe')]),
    'application/x-www-form-urlencoded',
  );
  expect(messageIn(await mailgun.read(given)).body).toBe('Grüße');
});

test('its files are read, with the ids a careless map gives them', async () => {
  const reading = await mailgun.read(
    await multipart({
      ...parsed,
      'attachment-count': '2',
      'content-id-map': '{"": "attachment-1", "<logo@x>": "attachment-2", "": "attachment-3"}',
      'attachment-1': new File(['one'], 'Fiche é.txt', { type: 'text/plain' }),
      'attachment-2': new File([Buffer.from([0, 255])], 'logo.png', { type: 'image/png' }),
    }),
  );
  expect(messageIn(reading).parts).toMatchObject([
    { name: 'Fiche é.txt', media_type: 'text/plain', size: 3, content_id: null },
    { name: 'logo.png', media_type: 'image/png', size: 2, content_id: 'logo@x' },
  ]);
  expect(reading.parts[1]?.bytes).toEqual(Buffer.from([0, 255]));
});

test('a mail as it travelled is read where it is given', async () => {
  const fields = { ...signed(), recipient: 'office@firm.example', sender: '', 'body-mime': mailOf().toString() };
  for (const given of [form(fields), await multipart(fields)])
    expect(messageIn(await mailgun.read(given))).toMatchObject({ external_id: '<m-1@example.com>', automatic: true });
});

test('whether the sender is who they say is what Mailgun found, the worse where it is said twice', async () => {
  const verdict = async (...headers: [name: string, value: string][]) => {
    const all = JSON.stringify([...JSON.parse(parsed['message-headers']), ...headers]);
    return messageIn(await mailgun.read(form({ ...parsed, 'message-headers': all }))).sender_verified;
  };
  const spf = (word: string) => ['X-Mailgun-Spf', word] as [string, string];
  const dkim = ['X-Mailgun-Dkim-Check-Result', 'Pass'] as [string, string];
  const signature = (domain: string) => ['Dkim-Signature', `v=1; a=rsa-sha256; d=${domain}; s=a`] as [string, string];
  expect(await verdict()).toBe('unknown');
  expect(await verdict(spf('Pass'))).toBe('pass');
  expect(await verdict(spf('Fail'))).toBe('fail');
  expect(await verdict(spf('Pass'), spf('Fail'))).toBe('fail');
  expect(await verdict(spf('Fail'), dkim, signature('example.com'))).toBe('pass');
  expect(await verdict(spf('Fail'), dkim, signature('evil.example'))).toBe('fail');
  expect(await verdict(spf('Fail'), dkim, signature('example.com'), signature('evil.example'))).toBe('fail');
});

test('events without an id are told apart by what they say', async () => {
  const event = (what: string) =>
    mailgun.read(request(JSON.stringify({ signature: signed(), 'event-data': { event: what } }), 'application/json'));
  const ids = (await Promise.all(['opened', 'clicked'].map(event))).map(({ items: [item] }) => item);
  expect(ids).toEqual(Array(2).fill(expect.objectContaining({ external_id: expect.stringMatching(/^sha256:/) })));
  expect(ids[0]).not.toEqual(ids[1]);
});

test.each([
  [
    'a tracked event',
    request(JSON.stringify({ signature: signed(), 'event-data': { event: 'clicked', id: 'e-1' } }), 'application/json'),
    'clicked',
    'e-1',
  ],
  ['an event of old', form({ ...signed(), event: 'delivered', 'Message-Id': '<m-1@x>' }), 'delivered', '<m-1@x>'],
  [
    'a mail left at Mailgun',
    form({ ...signed(), 'body-plain': 'x', attachments: '[{"url":"https://x"}]' }),
    'store',
    expect.stringMatching(/^sha256:/),
  ],
])('%s is no message', async (_, given, kind, external_id) => {
  expect(await mailgun.read(given)).toMatchObject({
    items: [{ notUnderstood: expect.any(String), kind, external_id }],
  });
});
