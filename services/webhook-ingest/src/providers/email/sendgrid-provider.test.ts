import { expect, test } from '@jest/globals';
import { basic, mailOf, messageIn, newId, receivedAt } from '../../../test/mails.ts';
import type { RawRequest } from '../provider.ts';
import { createSendgrid } from './sendgrid-provider.ts';

const sendgrid = createSendgrid({ credentials: ['inbound:secret'], newId });

/** Bytes, for each field may be in a charset of its own. */
function request(fields: Record<string, string | Buffer>, more = ''): RawRequest {
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from(`--xYz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    method: 'POST',
    path: '/webhooks/email/sendgrid',
    receivedAt,
    headers: { 'content-type': 'multipart/form-data; boundary=xYz', authorization: basic('inbound:secret') },
    body: Buffer.concat([...parts, Buffer.from(more), Buffer.from('--xYz--\r\n')]),
  };
}

const parsed = {
  headers:
    'Received: by mx\nFrom: Ada <ada@example.com>\nMessage-ID: <m-8@example.com>\nDate: Tue, 5 May 2026 08:00:00 +0000\nContent-Type: multipart/mixed; boundary="b"\n',
  from: 'Ada <ada@example.com>',
  to: 'Office <office@firm.example>',
  subject: Buffer.from('Zürich', 'latin1'),
  text: Buffer.from([0x82, 0xa0]),
  charsets: '{"to":"UTF-8","subject":"iso-8859-1","text":"Shift_JIS"}',
  envelope: '{"to":["office+0123456789abcdef0123456789abcdef@firm.example"],"from":"ada@example.com"}',
  dkim: '{@example.org : pass}',
};

test('each field is read in its own charset; the id is found in the headers', async () => {
  expect(messageIn(await sendgrid.read(request(parsed)))).toMatchObject({
    provider: 'sendgrid',
    account: 'firm.example',
    external_id: '<m-8@example.com>',
    subject: 'Zürich',
    body: 'あ',
    occurred_at: '2026-05-05T08:00:00.000Z',
    sender: { email: 'ada@example.com', name: 'Ada' },
    answers: { token: '0123456789abcdef0123456789abcdef' },
  });
});

test('a field in a charset that few know, and one that is in another than it says', async () => {
  const given = {
    ...parsed,
    subject: Buffer.from('Grüße'),
    text: Buffer.from([0x47, 0x72, 0x81, 0xe1, 0x65]),
    charsets: '{"subject":"iso-8859-1","text":"cp850"}',
  };
  expect(messageIn(await sendgrid.read(request(given)))).toMatchObject({ subject: 'Grüße', body: 'Grüße' });
});

test('its files are read, with the ids the form gives apart', async () => {
  const info = { attachment1: { filename: 'logo.png', name: 'logo.png', type: 'image/png', 'content-id': '<logo@x>' } };
  const file =
    '--xYz\r\nContent-Disposition: form-data; name="attachment1"; filename="logo.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n';
  const reading = await sendgrid.read(
    request({ ...parsed, attachments: '1', 'attachment-info': JSON.stringify(info) }, file),
  );
  expect(messageIn(reading).parts).toMatchObject([
    { name: 'logo.png', media_type: 'image/png', content_id: 'logo@x', size: 3 },
  ]);
});

test('HTML alone gives a text to read', async () => {
  const { text: _, ...rest } = parsed;
  expect(messageIn(await sendgrid.read(request({ ...rest, html: '<p>Hello</p>' }))).body).toBe('Hello');
});

test('a mail as it travelled is read by its bytes', async () => {
  const email = Buffer.concat([
    mailOf({ 'Content-Type': 'text/plain; charset=iso-8859-1' }, ''),
    Buffer.from('Zürich', 'latin1'),
  ]);
  const message = messageIn(
    await sendgrid.read(request({ email, envelope: '{"to":["office@firm.example"],"from":""}' })),
  );
  expect(message).toMatchObject({ external_id: '<m-1@example.com>', body: 'Zürich', automatic: true });
});

test('without headers and charsets, by what there is', async () => {
  const { headers: _, charsets: __, ...rest } = parsed;
  const message = messageIn(await sendgrid.read(request({ ...rest, subject: 'S', text: 'T' })));
  expect(message).toMatchObject({
    sender: { email: 'ada@example.com' },
    body: 'T',
    external_id: expect.stringMatching(/^sha256:/),
  });
});

test.each([
  [{ SPF: 'none', dkim: 'none' }, 'unknown'],
  [{ SPF: 'pass', dkim: 'none' }, 'pass'],
  [{ SPF: 'fail', dkim: '{@evil.example : pass, @example.com : fail}' }, 'fail'],
  [{ SPF: 'fail', dkim: '{@evil.example : pass, @example.com : pass}' }, 'pass'],
  [{ SPF: 'softfail', dkim: 'none' }, 'unknown'],
])('whether the sender is who they say is what SendGrid found: %j is %s', async (found, verdict) => {
  expect(messageIn(await sendgrid.read(request({ ...parsed, ...found }))).sender_verified).toBe(verdict);
  const raw = { ...found, envelope: parsed.envelope, email: mailOf({ 'Authentication-Results': 'x; dmarc=pass' }) };
  expect(messageIn(await sendgrid.read(request(raw))).sender_verified).toBe(verdict);
});

test('a form without a mail is not understood', async () => {
  expect(await sendgrid.read(request({ hello: 'x' }))).toEqual({
    items: [],
    parts: [],
    problem: 'The form holds no mail',
  });
});

test('a form that is none is refused by throwing, which keeps it', async () => {
  await expect(sendgrid.read({ ...request({}), body: Buffer.from('--xYz\r\nhello') })).rejects.toThrow();
});
