import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { attemptId, messageOf } from '../../../test/message.ts';
import { type MailServer, startMailServer } from '../../../test/server.ts';
import type { Outcome, OutgoingMessage } from '../sender.ts';
import { parseMailbox } from './mail-writer.ts';
import { createSmtpSender } from './smtp-sender.ts';

let server: MailServer;

beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.close());

const from = { name: 'Permit Desk', address: 'desk@mail.example.com' };
const messageId = `<${attemptId}@mail.example.com>`;

const mail = (given: Partial<OutgoingMessage> = {}) =>
  messageOf({ type: 'EMAIL', to: 'ada@example.com', subject: 'Your permit', ...given });
const send = (given: Partial<OutgoingMessage> = {}, url = server.url): Promise<Outcome> =>
  createSmtpSender({ url, from, timeoutMs: 500 }).send(mail(given), attemptId);
const withPassword = () => server.url.replace('//', '//desk:not-a-password@');
const pipelining = '250-mail.example.com\r\n250-AUTH PLAIN\r\n250 PIPELINING';

/** Header lines unfolded. */
const headers = () =>
  (server.mails[0] ?? '')
    .split('\r\n\r\n')[0]
    ?.replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n') ?? [];

test('a mail names its attempt, and an answer to it names the communication', async () => {
  const communication_id = '0197a3f0-aaaa-7bbb-8ccc-ddddeeeeffff';
  const outcome = await send({ communication_id, body: 'Dear Ada,\nall is well.\n.\nGrüße' });
  expect(outcome).toEqual({ kind: 'accepted', providerMessageId: messageId });
  expect(server.recipients).toEqual(['RCPT TO:<ada@example.com>']);
  expect(headers()).toEqual(
    expect.arrayContaining([
      'From: Permit Desk <desk@mail.example.com>',
      'To: ada@example.com',
      'Subject: Your permit',
      `Message-ID: ${messageId}`,
      'Reply-To: Permit Desk <desk+0197a3f0aaaa7bbb8cccddddeeeeffff@mail.example.com>',
    ]),
  );
  expect(headers().join()).not.toMatch(/In-Reply-To|References|Auto-Submitted/);
});

test('the same attempt has the same Message-ID each time', async () => {
  await send();
  await send();
  expect(server.mails.map((one) => one.includes(`Message-ID: ${messageId}`))).toEqual([true, true]);
});

test('an answer belongs to its thread; what is no Message-ID gets into no header', async () => {
  const references = ['<a@example.com>', 'sha256:abc', '<b@example.com>\r\nBcc: eve@example.com', '<c@example.com>'];
  await send({ thread: { external_id: '<c@example.com>', references } });
  expect(headers()).toEqual(
    expect.arrayContaining(['In-Reply-To: <c@example.com>', 'References: <a@example.com> <c@example.com>']),
  );
  expect(server.mails[0]).not.toContain('eve@example.com');
});

test('a long thread is told by its latest mails, in lines a mail server takes', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `<${'m'.repeat(200)}-${n}@example.com>`);
  await send({ thread: { external_id: ids.at(-1) ?? null, references: ids } });
  expect(headers()).toContain(`References: ${ids.slice(-20).join(' ')}`);
  const longest = Math.max(...(server.mails[0] ?? '').split('\r\n').map((one) => one.length));
  expect(longest).toBeLessThanOrEqual(998);
});

test('a subject cannot add a header', async () => {
  await send({ subject: 'Hello\r\nBcc: eve@example.com' });
  expect(headers().some((line) => line.startsWith('Bcc'))).toBe(false);
});

test('a subject of any script arrives as it was written, in lines a mail server takes', async () => {
  const subject = 'Grüße 許可 '.repeat(20).trim();
  await send({ subject });
  const line = headers().find((one) => one.startsWith('Subject: ')) ?? '';
  const words = [...line.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g)].map(([, word]) => Buffer.from(word ?? '', 'base64'));
  expect(Buffer.concat(words).toString('utf8')).toBe(subject);
  expect(Math.max(...(server.mails[0] ?? '').split('\r\n').map((one) => one.length))).toBeLessThanOrEqual(78);
});

test.each([
  'ada@example.com,eve@example.com',
  'ada@example.com>\r\nRCPT TO:<eve@example.com',
  'ada',
  'a b@example.com',
])('%j is no address: no server is asked', async (to) => {
  expect(await send({ to })).toMatchObject({ kind: 'refused', code: 'no_address' });
  expect(server.conversations).toBe(0);
});

test('a domain of another script is written as every mail server knows it', async () => {
  expect(await send({ to: 'ada@bücher.example' })).toMatchObject({ kind: 'accepted' });
  expect(server.recipients).toEqual(['RCPT TO:<ada@xn--bcher-kva.example>']);
});

test('a machine says that it is one', async () => {
  await send({ automated: true });
  expect(headers()).toContain('Auto-Submitted: auto-generated');
});

test('files go along under their names', async () => {
  const content = Buffer.from('%PDF-1.7 \u0000');
  await send({ attachments: [{ name: 'Prüfung "1".pdf', media_type: 'application/pdf', content }] });
  expect(server.mails[0]).toContain(content.toString('base64'));
  expect(server.mails[0]).toContain('Content-Type: application/pdf');
  expect(server.mails[0]).toMatch(/filename\*0\*=utf-8''Pr%C3%BCfung/);
});

test('a file goes without words too', async () => {
  await send({
    body: '',
    attachments: [{ name: 'permit.pdf', media_type: 'application/pdf', content: Buffer.from('%PDF') }],
  });
  expect(server.mails[0]).toContain(Buffer.from('%PDF').toString('base64'));
});

test('nobody to send it to: no connection is made', async () => {
  server.say({ greeting: 'hang' });
  expect(await send({ to: null })).toMatchObject({ kind: 'refused', code: 'no_recipient' });
});

test.each([
  ['a greeting that turns away', { greeting: '421 too busy' }],
  ['a greeting that never comes', { greeting: 'hang' }],
  ['a connection that is cut at the greeting', { greeting: 'cut' }],
  ['a server about to stop', { EHLO: '421 stopping' }],
  ['an account that is let in later', { AUTH: '454 4.7.0 later' }],
  ['a connection that is cut at the password', { AUTH: 'cut' }],
  ['a sender it takes later', { MAIL: '451 later' }],
  ['a recipient it takes later', { RCPT: '450 greylisted' }],
  ['a recipient it never answers for', { RCPT: 'hang' }],
  ['a connection that is cut before the mail', { DATA: 'cut' }],
  ['a mail it takes later', { DATA: '452 no space' }],
  ['a mail it read and takes later', { taken: '451 later' }],
  ['a mail it read and is about to stop', { taken: '421 stopping' }],
  [
    'a recipient it takes later, asked for along with all else',
    { EHLO: pipelining, RCPT: '450 later', DATA: '554 no' },
  ],
] as const)('%s: not taken', async (_, replies) => {
  server.say(replies);
  expect(await send({}, withPassword())).toMatchObject({ kind: 'not_taken' });
});

test('nobody there: not taken', async () => {
  await server.close();
  const message = 'The mail server could not be reached';
  expect(await send()).toEqual({ kind: 'not_taken', reason: 'ESOCKET', message });
  server = await startMailServer();
});

test.each([
  [{ greeting: '554 go away' }, 'smtp:554'],
  [{ AUTH: '535 5.7.8 wrong password' }, 'smtp:535'],
  [{ RCPT: '550 5.1.1 no such user' }, 'smtp:550'],
  [{ EHLO: pipelining, RCPT: '550 5.1.1 no such user', DATA: '554 no recipients' }, 'smtp:550'],
  [{ MAIL: '553 not you' }, 'smtp:553'],
  [{ DATA: '554 no' }, 'smtp:554'],
  [{ taken: '554 5.7.1 looks like spam' }, 'smtp:554'],
] as const)('%j is final', async (replies, code) => {
  server.say(replies);
  expect(await send({}, withPassword())).toMatchObject({ kind: 'refused', code });
});

test('what the server says is told in our words, its own kept beside them', async () => {
  server.say({ RCPT: '550 5.1.1 <ada@example.com>: Recipient rejected: call 0900 123' });
  expect(await send()).toEqual({
    kind: 'refused',
    code: 'smtp:550',
    message: 'There is no such mailbox',
    detail: '550 5.1.1 <ada@example.com>: Recipient rejected: call 0900 123',
  });
  server.say({ RCPT: '451 4.7.1 Greylisting in action' });
  expect(await send()).toEqual({
    kind: 'not_taken',
    reason: 'SMTP 451',
    message: 'The mail server keeps mail waiting from senders it does not know yet',
    detail: '451 4.7.1 Greylisting in action',
  });
});

test.each([
  ['silence', { taken: 'hang' }, true],
  ['a connection that is cut', { taken: 'cut' }, false],
] as const)('%s after the mail was handed over proves nothing', async (_, replies, late) => {
  server.say(replies);
  expect(await send()).toMatchObject({ kind: 'uncertain', late });
  expect(server.mails).toHaveLength(1);
});

test.each([
  ['Permit Desk <desk@example.com>', { name: 'Permit Desk', address: 'desk@example.com' }],
  ['desk@example.com', { name: '', address: 'desk@example.com' }],
  ['desk', undefined],
  ['desk@müller.example', undefined],
  ['a@example.com, b@example.com', undefined],
])('EMAIL_FROM %j', (given, mailbox) => {
  expect(parseMailbox(given)).toEqual(mailbox);
});
