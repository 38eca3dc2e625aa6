import { expect, test } from '@jest/globals';
import { mailOf, messageIn, multipart, read } from '../../../../test/mails.ts';

const attempt = '0199b3c0-1111-7222-8333-444455556666';
const ours = `<${attempt}@firm.example>`;

const report = (fields: string, about: string, headers: object = {}) =>
  mailOf(
    {
      From: 'mailer-daemon@example.net',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary=limit',
      ...headers,
    },
    multipart(
      '\r\nYour mail could not be delivered.',
      `Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n${fields}`,
      about,
    ),
  );
const original = (id: string) =>
  `Content-Type: message/rfc822\r\n\r\nSubject: Permit\r\nMessage-ID: ${id}\r\n\r\nDear Ada`;
const headersOf = (id: string) =>
  `Content-Type: text/rfc822-headers\r\n\r\nSubject: Permit\r\nMessage-Id:\r\n ${id}\r\n`;

const failed =
  'Final-Recipient: rfc822; ada@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n No such user';

test.each([
  ['the whole mail', original(ours)],
  ['its headers', headersOf(ours)],
])('a mail of ours that came back, known by %s, has failed', async (_, about) => {
  expect(await read(report(failed, about))).toEqual({
    items: [
      {
        receipt: {
          provider: 'smtp',
          account: 'firm.example',
          external_id: ours,
          attempt_id: attempt,
          status: 'FAILED',
          occurred_at: '2026-05-05T09:00:00.000Z',
          failure: { code: 'smtp:550', message: 'There is no such mailbox' },
          recipients: ['ada@example.com'],
        },
      },
    ],
    parts: [],
  });
});

test('known by what it answers, where nothing of it comes back', async () => {
  const mail = report(failed, 'Content-Type: text/plain\r\n\r\n', { 'In-Reply-To': ours });
  expect((await read(mail)).items).toMatchObject([{ receipt: { external_id: ours, attempt_id: attempt } }]);
});

const to = 'Final-Recipient: rfc822; <Ada@Example.com>\r\n';

test.each([
  ['Status: 5.2.2', { code: 'smtp:5.2.2', message: 'The mailbox is full' }],
  [
    'Diagnostic-Code: smtp; 552 5.3.4 Call 0900',
    { code: 'smtp:552', message: 'The mail is too large for that mailbox' },
  ],
  ['Status: 5.9.9', { code: 'smtp:5.9.9', message: 'The mail server did not deliver it' }],
  ['X-Other: 1', { code: 'smtp:unknown', message: 'The mail server did not deliver it' }],
])('%j is told in our words, never in those of who reports', async (fields, failure) => {
  expect((await read(report(`${to}Action: failed\r\n${fields}`, original(ours)))).items).toMatchObject([
    { receipt: { status: 'FAILED', failure } },
  ]);
});

test('a mail that arrived is delivered', async () => {
  const { items } = await read(report(`${to}Action: delivered\r\nStatus: 2.0.0`, original(ours)));
  expect(items).toMatchObject([{ receipt: { status: 'DELIVERED', failure: null } }]);
});

test('one that is on its way is no end, and no message', async () => {
  const { items } = await read(report(`${to}Action: delayed\r\nStatus: 4.4.1`, original(ours)));
  expect(items).toEqual([
    { notUnderstood: 'The mail is delayed, which is no end', kind: 'receipt', external_id: ours },
  ]);
});

test('whom it was for, as it was given and as it was passed on', async () => {
  const fields = `Original-Recipient: rfc822;ada@example.com\r\nFinal-Recipient: rfc822;ada@mail.example\r\nAction: failed`;
  const { items } = await read(report(fields, original(ours)));
  expect(items).toMatchObject([{ receipt: { recipients: ['ada@mail.example', 'ada@example.com'] } }]);
});

test('one that the sender’s domain disowns settles nothing, and is a message that nobody wrote', async () => {
  const checks = () => ({ dmarc: { result: 'fail', domain: 'example.net' }, dkim: [] });
  const message = messageIn(await read(report(failed, original(ours)), { checks }));
  expect(message).toMatchObject({ sender_verified: 'fail', automatic: true });
});

test('one that a person passes on, with words above it, is a message that waits to be read', async () => {
  const headers = { From: 'ada@example.com', 'Content-Type': 'multipart/mixed; boundary=limit' };
  const message = messageIn(await read(report(failed, original(ours), headers)));
  expect(message).toMatchObject({ automatic: false, sender: { email: 'ada@example.com' } });
});

test('one that a mail server packed up anew still counts', async () => {
  const mail = report(failed, original(ours), { 'Content-Type': 'multipart/mixed; boundary=limit' });
  expect((await read(mail)).items).toMatchObject([{ receipt: { status: 'FAILED' } }]);
});

test.each([
  ['whom it does not say', report('Action: failed\r\nStatus: 5.1.1', original(ours))],
  ['a mail of somebody else', report(failed, original('<m-9@example.com>'))],
  ['a mail with a random id', report(failed, original('<0199b3c0-1111-4222-8333-444455556666@firm.example>'))],
  ['nothing', mailOf({ 'In-Reply-To': ours })],
])('a report about %s is a message', async (_, mail) => {
  expect(messageIn(await read(mail)).channel).toBe('EMAIL');
});
