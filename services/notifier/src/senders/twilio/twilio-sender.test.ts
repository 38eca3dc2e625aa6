import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { attemptId, messageOf } from '../../../test/message.ts';
import { answer, type Outside, startOutside, takesAll } from '../../../test/outside.ts';
import type { Outcome } from '../sender.ts';
import { createTwilioSender, type TwilioSettings } from './twilio-sender.ts';

let twilio: Outside;

beforeEach(async () => {
  twilio = await startOutside(takesAll());
});
afterEach(() => twilio.close());

const senderWith = (given: Partial<TwilioSettings> = {}) =>
  createTwilioSender(
    {
      baseUrl: twilio.url,
      accountSid: 'AC1',
      authToken: 'not-a-secret',
      from: '+447700900001',
      publicUrl: 'https://ops.example.com',
      timeoutMs: 2_000,
      ...given,
    },
    () => new Date('2026-03-01T10:00:00Z'),
  );
const send = (message = messageOf()): Promise<Outcome> => senderWith().send(message, attemptId);
const formOf = (n = 0) => Object.fromEntries(new URLSearchParams(twilio.journal[n]?.body));

test('an SMS is a form of its own, signed in, with the address its receipts go to', async () => {
  const message = messageOf({ body: 'Grüße & mehr + 1 😀' });
  expect(await send(message)).toEqual({ kind: 'accepted', providerMessageId: 'SM1' });
  expect(twilio.journal).toMatchObject([
    {
      path: '/2010-04-01/Accounts/AC1/Messages.json',
      headers: { authorization: `Basic ${Buffer.from('AC1:not-a-secret').toString('base64')}` },
    },
  ]);
  expect(formOf()).toEqual({
    To: '+447700900123',
    From: '+447700900001',
    Body: message.body,
    StatusCallback: `https://ops.example.com/webhooks/sms?attempt=${attemptId}`,
  });
});

const service = `MG${'0123456789abcdef'.repeat(2)}`;

test.each([
  [service, 'MessagingServiceSid'],
  ['MG Permits', 'From'],
])('%s sends as %s; without a public address nobody is called back', async (from, field) => {
  await senderWith({ from, publicUrl: undefined }).send(messageOf(), attemptId);
  expect(formOf()).toEqual({ To: '+447700900123', Body: expect.any(String), [field]: from });
});

test('nobody to send it to, or what goes into no SMS: nothing leaves', async () => {
  expect(await send(messageOf({ to: null }))).toMatchObject({ kind: 'refused', code: 'no_recipient' });
  expect(await send(messageOf({ body: 'a'.repeat(1601) }))).toMatchObject({ kind: 'refused', code: 'text_too_long' });
  const attachments = [{ name: 'a.png', media_type: 'image/png', content: Buffer.from('a') }];
  expect(await send(messageOf({ attachments }))).toMatchObject({ kind: 'refused', code: 'no_files' });
  expect(twilio.journal).toEqual([]);
});

test.each([
  [
    'its own refusal',
    answer(400, { code: 21_610, message: 'Attempt to send to unsubscribed recipient', status: 400 }),
    {
      kind: 'refused',
      code: 'twilio:21610',
      message: 'Whoever has that number wants no SMS from us',
      detail: 'Attempt to send to unsubscribed recipient',
    },
  ],
  ['a refusal in other words', answer(404, '<html>'), { kind: 'refused', code: 'twilio:404' }],
  [
    'an address it was moved to',
    answer(302, '', { Location: 'http://example.com/' }),
    { kind: 'refused', code: 'twilio:302' },
  ],
  [
    'too many requests',
    answer(429, { code: 20_429 }, { 'Retry-After': '7' }),
    { kind: 'not_taken', retryAfterMs: 7_000 },
  ],
  [
    'too many, until a date',
    answer(429, '', { 'Retry-After': 'Sun, 01 Mar 2026 10:01:00 GMT' }),
    { kind: 'not_taken', retryAfterMs: 60_000 },
  ],
  [
    'too many, for an unknown time',
    answer(429, '', { 'Retry-After': 'soon' }),
    { kind: 'not_taken', retryAfterMs: undefined },
  ],
  [
    'an error of its own',
    answer(500, { code: 20_500, message: 'Internal' }),
    { kind: 'uncertain', reason: 'HTTP 500' },
  ],
  [
    '503 after it had the whole message',
    answer(503, '', { 'Retry-After': '1' }),
    { kind: 'uncertain', reason: 'HTTP 503' },
  ],
  [
    'a refusal the database would not take',
    answer(400, { code: `21\u0000${'6'.repeat(300)}`, message: `No\u0000${'😀'.repeat(300)}` }),
    { kind: 'refused', code: `twilio:21\ufffd${'6'.repeat(90)}`, detail: `No\ufffd${'😀'.repeat(248)}\ufffd` },
  ],
  [
    'an id the database would not take',
    answer(201, { sid: 'SM\u0000' }),
    { kind: 'accepted', providerMessageId: null },
  ],
  ['success in words nobody understands', answer(201, 'fine'), { kind: 'accepted', providerMessageId: null }],
])('%s', async (_, how, outcome) => {
  twilio.behave(how);
  expect(await send()).toMatchObject(outcome);
  expect(twilio.journal).toHaveLength(1);
});
