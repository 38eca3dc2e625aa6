import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EventData } from '@ops/contracts/events';
import type { WebhookDelivery } from '@ops/contracts/resources/webhook-delivery';
import { canary } from '@ops/test-kit/logs';
import { basic, mailOf, multipart } from '../../../test/mails.ts';
import { admin, startTestIngest, type TestIngest } from '../../../test/service.ts';

const pairs = {
  postmark: 'postmark:secret-1-of-this-test',
  sendgrid: 'sendgrid:secret-2-of-this-test',
  mime: 'mime:secret-3-of-this-test',
};
const signingKey = 'mailgun-key-of-this-test';

let ingest: TestIngest;
beforeAll(async () => {
  ingest = await startTestIngest({
    EMAIL_POSTMARK_BASIC_AUTH: pairs.postmark,
    EMAIL_SENDGRID_BASIC_AUTH: pairs.sendgrid,
    EMAIL_MIME_BASIC_AUTH: `${pairs.mime},mime:secret-4-of-this-test`,
    EMAIL_MAILGUN_SIGNING_KEY: signingKey,
    EMAIL_AUTHSERV_ID: 'mx.firm.example',
  });
});
afterAll(() => ingest.close());

const path = (provider: string) => `/webhooks/email/${provider}`;
const post = (provider: keyof typeof pairs, body: string | Buffer, type: string, pair = pairs[provider]) =>
  ingest.post(path(provider), body, { authorization: basic(pair), 'content-type': type });

async function received(externalId: string): Promise<EventData<'provider.message.received'>[]> {
  const found = await ingest.events('provider.message.received');
  return found
    .map(({ data }) => data as EventData<'provider.message.received'>)
    .filter((data) => data.external_id === externalId);
}

test('a mail is taken once, its large parts are pulled apart from it', async () => {
  const file = 'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <logo@x>\r\n\r\nAQID';
  const html = `Content-Type: text/html\r\n\r\n<p>${canary()}</p>`;
  const headers = { 'Message-ID': '<whole@example.com>', 'Content-Type': 'multipart/mixed; boundary=limit' };
  const mail = mailOf(headers, multipart(html, file));
  for (const _ of ['once', 'again']) expect((await post('mime', mail, 'message/rfc822')).status).toBe(200);
  const [message, ...more] = await received('<whole@example.com>');
  expect(more).toEqual([]);
  const part = message?.parts.find(({ role }) => role === 'file');
  expect(part).toMatchObject({ source: 'ingest', content_id: 'logo@x', size: 3 });
  const pulled = await ingest.internal(`/internal/delivery-parts/${part?.ref}`, 'comms-service');
  expect(pulled).toMatchObject({ status: 200, text: '\u0001\u0002\u0003' });
});

test.each([
  ['our server', 'Authentication-Results: MX.firm.example; dmarc=fail header.from=example.com', 'fail'],
  ['a stranger', 'Authentication-Results: mx.evil.example; dmarc=fail header.from=example.com', 'unknown'],
  [
    'our server, above what the sender wrote in its name',
    'Authentication-Results: mx.firm.example; spf=fail\r\nAuthentication-Results: mx.firm.example; dmarc=pass',
    'fail',
  ],
])('who a mail is from is judged by %s', async (_, header, verdict) => {
  const id = `<${canary()}@example.com>`;
  await post('mime', Buffer.concat([Buffer.from(`${header}\r\n`), mailOf({ 'Message-ID': id })]), 'message/rfc822');
  expect(await received(id)).toMatchObject([{ sender_verified: verdict }]);
});

test('the same mail by another way is the same message; other words under its id are another', async () => {
  const mail = (body: string, more = {}) => mailOf({ 'Message-ID': '<way@example.com>', ...more }, body);
  const words = canary();
  await post('mime', mail(words, { Received: 'by one' }), 'message/rfc822');
  await post('mime', mail(words, { Received: 'by another' }), 'message/rfc822');
  expect(await received('<way@example.com>')).toHaveLength(1);
  await post('mime', mail(canary()), 'message/rfc822');
  expect(await received('<way@example.com>')).toHaveLength(2);
});

test('a mail that is read again is the same message, whatever a later reader makes of its words', async () => {
  await post('mime', mailOf({ 'Message-ID': '<reader@x>' }, canary()), 'message/rfc822');
  const chief = ingest.as(admin);
  const [{ id } = { id: '' }] = (
    (await chief.get('/ops/webhook-deliveries?limit=1')).body as { data: WebhookDelivery[] }
  ).data;
  const asReadBefore = (status: string) => ingest.db('items').where({ delivery_id: id }).update({ status });
  const readAgain = async () => (await chief.post(`/ops/webhook-deliveries/${id}/reprocess`)).body;
  await asReadBefore('sha256:of-other-words');
  expect(await readAgain()).toMatchObject({ outcome: 'processed', items: 1 });
  expect(await received('<reader@x>')).toHaveLength(1);
  await asReadBefore('unreadable:sha256:of-the-whole');
  expect(await readAgain()).toMatchObject({ outcome: 'processed', items: 2 });
  expect(await received('<reader@x>')).toHaveLength(2);
});

test('Postmark and SendGrid are read behind their passwords', async () => {
  const json = JSON.stringify({
    From: 'ada@example.com',
    TextBody: canary(),
    Headers: [{ Name: 'Message-ID', Value: '<pm@x>' }],
  });
  expect((await post('postmark', json, 'application/json')).status).toBe(200);
  expect(await received('<pm@x>')).toHaveLength(1);
  const form = `--xYz\r\nContent-Disposition: form-data; name="email"\r\n\r\n${mailOf({ 'Message-ID': '<sg@x>' }, canary())}\r\n--xYz--\r\n`;
  expect((await post('sendgrid', form, 'multipart/form-data; boundary=xYz')).status).toBe(200);
  expect(await received('<sg@x>')).toHaveLength(1);
});

describe('turned away', () => {
  test.each(['postmark', 'sendgrid', 'mime'] as const)('%s with the password of another', async (provider) => {
    expect((await post(provider, mailOf(), 'message/rfc822', 'other:secret')).status).toBe(401);
    expect((await ingest.post(path(provider), mailOf())).status).toBe(401);
  });

  test('the second of two passwords is good while they are replaced', async () => {
    const mail = mailOf({ 'Message-ID': '<second@x>' }, canary());
    expect((await post('mime', mail, 'message/rfc822', 'mime:secret-4-of-this-test')).status).toBe(200);
  });
});

describe('Mailgun', () => {
  const signed = (n: number, more: Record<string, string>, age = 0) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age);
    const token = String(n).padStart(2, '0').repeat(25);
    const signature = createHmac('sha256', signingKey)
      .update(timestamp + token)
      .digest('hex');
    return new URLSearchParams({ timestamp, token, signature, recipient: 'office@firm.example', ...more }).toString();
  };
  const send = (body: string) =>
    ingest.post(path('mailgun'), body, { 'content-type': 'application/x-www-form-urlencoded' });
  const mail = (id: string) => ({ 'body-mime': mailOf({ 'Message-ID': id }, canary()).toString() });

  test('a token is good for one body: the same again is a repeat, another is refused', async () => {
    const first = signed(1, mail('<mg-1@x>'));
    for (const _ of ['once', 'again']) expect((await send(first)).status).toBe(200);
    expect((await send(signed(1, mail('<mg-2@x>')))).status).toBe(401);
    expect(await received('<mg-1@x>')).toHaveLength(1);
    expect(await received('<mg-2@x>')).toEqual([]);
  });

  test('of many that come at once, the one whose token was used before is refused alone', async () => {
    await send(signed(1, mail('<mg-first@x>')));
    const tokens = [12, 13, 1, 14, 15];
    const answers = await Promise.all(tokens.map((n) => send(signed(n, mail(`<mg-many-${n}@x>`)))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 200]);
    for (const n of tokens) expect(await received(`<mg-many-${n}@x>`)).toHaveLength(n === 1 ? 0 : 1);
  });

  test('what it sends again with a new token is the same message', async () => {
    const again = mail('<mg-3@x>');
    for (const n of [3, 4]) expect((await send(signed(n, again))).status).toBe(200);
    expect(await received('<mg-3@x>')).toHaveLength(1);
  });

  test('what was signed long ago is refused, and kept for an admin to read: it may have waited while we were away', async () => {
    const late = signed(6, mail('<mg-6@x>'), 3_600);
    for (const _ of ['once', 'again']) expect((await send(late)).status).toBe(401);
    expect((await send(signed(6, mail('<mg-7@x>'), 3_600))).status).toBe(401);
    const chief = ingest.as(admin);
    const [kept] = ((await chief.get('/ops/webhook-deliveries?limit=1')).body as { data: WebhookDelivery[] }).data;
    expect(kept).toMatchObject({ outcome: 'not_understood', repeats: 1, reason: expect.stringContaining('too old') });
    expect(await received('<mg-6@x>')).toEqual([]);
    await chief.post(`/ops/webhook-deliveries/${kept?.id}/reprocess`);
    expect(await received('<mg-6@x>')).toHaveLength(1);
    expect(await received('<mg-7@x>')).toEqual([]);
  });

  test('what is not signed is refused', async () => {
    const { status } = await send(new URLSearchParams(mail('<mg-5@x>')).toString());
    expect(status).toBe(401);
  });
});
