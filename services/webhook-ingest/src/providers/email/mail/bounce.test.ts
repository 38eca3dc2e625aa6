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
          failure: { code: 'smtp:550', message: '550 5.1.1 No such user' },
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

test.each([
  ['Action: failed\r\nStatus: 5.2.2', { code: 'smtp:5.2.2', message: 'Status 5.2.2' }],
  ['Action: failed', { code: 'smtp:unknown', message: 'The mail server gives no reason' }],
])('%j says as much as it can', async (fields, failure) => {
  expect((await read(report(fields, original(ours)))).items).toMatchObject([
    { receipt: { status: 'FAILED', failure } },
  ]);
});

test('a mail that arrived is delivered', async () => {
  const { items } = await read(report('Action: delivered\r\nStatus: 2.0.0', original(ours)));
  expect(items).toMatchObject([{ receipt: { status: 'DELIVERED', failure: null } }]);
});

test('one that is on its way is no end, and no message', async () => {
  const { items } = await read(report('Action: delayed\r\nStatus: 4.4.1', original(ours)));
  expect(items).toEqual([
    { notUnderstood: 'The mail is delayed, which is no end', kind: 'receipt', external_id: ours },
  ]);
});

test.each([
  ['a mail of somebody else', report(failed, original('<m-9@example.com>'))],
  ['a mail with a random id', report(failed, original('<0199b3c0-1111-4222-8333-444455556666@firm.example>'))],
  ['nothing', mailOf({ 'In-Reply-To': ours })],
])('a report about %s is a message', async (_, mail) => {
  expect(messageIn(await read(mail)).channel).toBe('EMAIL');
});
