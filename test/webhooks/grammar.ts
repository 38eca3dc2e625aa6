import { canary } from '@ops/test-kit/logs';
import fc from 'fast-check';
import { appPayload } from './as-provider.ts';

/** What each provider may send, as its own manual describes it: every one with ids that none before it had. */

const id = fc.uuid();
const seconds = fc.integer({ min: 1_700_000_000, max: 1_790_000_000 }).map(String);
const phone = fc.integer({ min: 100, max: 999 }).map((n) => `447700900${n}`);
const words = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom(canary(), 'Grüße aus Zürich', 'متى تنتهي الإقامة؟', '居留证什么时候到期？', 'STOP', '👍🏽'),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const media = (more: object = {}) =>
  fc.record({
    id,
    mime_type: fc.constantFrom('image/png', 'audio/ogg; codecs=opus', 'application/pdf'),
    caption: maybe(words),
    ...more,
  });
const appContents: Record<string, fc.Arbitrary<unknown>> = {
  text: fc.record({ body: words }),
  image: media(),
  audio: media({ voice: fc.boolean() }),
  document: media({ filename: maybe(words) }),
  sticker: media({ animated: fc.boolean() }),
  location: fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    name: maybe(words),
    address: maybe(words),
  }),
  contacts: fc.array(
    fc.record({
      name: fc.record({ formatted_name: words }),
      phones: maybe(fc.array(fc.record({ phone }), { maxLength: 3 })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  button: fc.record({ text: words, payload: maybe(words) }),
  interactive: fc.oneof(
    fc.record({ type: fc.constant('button_reply'), button_reply: fc.record({ id, title: words }) }),
    fc.record({
      type: fc.constant('list_reply'),
      list_reply: fc.record({ id, title: words, description: maybe(words) }),
    }),
    fc.record({
      type: fc.constant('nfm_reply'),
      nfm_reply: fc.record({
        name: fc.constant('flow'),
        body: words,
        response_json: fc.dictionary(words, words).map((answers) => JSON.stringify(answers)),
      }),
    }),
  ),
  order: fc.record({
    catalog_id: id,
    product_items: fc.array(
      fc.record({ product_retailer_id: id, quantity: fc.nat(9), item_price: fc.nat(99), currency: fc.constant('CHF') }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  reaction: fc.record({ message_id: id, emoji: maybe(fc.constantFrom('👍', '')) }),
  system: fc.record({ body: words, wa_id: phone, type: fc.constant('user_changed_number') }),
  unsupported: fc.constant(undefined),
};
const appMessage = fc.constantFrom(...Object.keys(appContents)).chain((type) =>
  fc.record({
    id: id.map((one) => `wamid.${one}`),
    from: phone,
    timestamp: seconds,
    type: fc.constant(type),
    [type]: appContents[type] ?? fc.constant(undefined),
    context: maybe(fc.record({ id, from: phone, forwarded: fc.boolean() })),
  }),
);
const appStatus = fc.record({
  id: id.map((one) => `wamid.${one}`),
  status: fc.constantFrom('sent', 'delivered', 'read', 'failed'),
  timestamp: seconds,
  recipient_id: phone,
  errors: maybe(fc.array(fc.record({ code: fc.constantFrom(131026, 131047, 131051), title: words }), { maxLength: 2 })),
});
export const appGood: fc.Arbitrary<unknown> = fc
  .tuple(fc.array(appMessage, { minLength: 1, maxLength: 3 }), fc.array(appStatus, { maxLength: 2 }))
  .map(([messages, statuses]) => JSON.parse(appPayload(messages, statuses)));

const plus = phone.map((number) => `+${number}`);
const defined = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
export const smsGood = fc
  .record({
    MessageSid: id.map((one) => `SM${one}`),
    From: plus,
    To: plus,
    Body: words,
    NumMedia: fc.constantFrom('0', '1'),
    MediaUrl0: fc.constant('https://example.com/m'),
    ProfileName: maybe(words),
  })
  .map(defined);
export const smsStatusGood = fc
  .record({
    MessageSid: id.map((one) => `SM${one}`),
    MessageStatus: fc.constantFrom('sent', 'delivered', 'undelivered', 'failed', 'read'),
    ErrorCode: maybe(fc.constantFrom('30003', '21610')),
    From: plus,
    To: plus,
  })
  .map(defined);

const address = id.map((one) => `p${one.slice(0, 8)}@example.com`);
const messageId = id.map((one) => `<${one}@example.com>`);
const date = fc.constantFrom(
  'Sun, 01 Mar 2026 10:00:00 +0000',
  'Tue, 5 May 2026 10:04:22 +0200 (CEST)',
  '5 May 2026 10:04 GMT',
);
const encodedWord = words.map((text) => `=?utf-8?B?${Buffer.from(text.toWellFormed()).toString('base64')}?=`);
const part = fc.oneof(
  words.map(
    (text) =>
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text.toWellFormed()).toString('base64')}`,
  ),
  words.map(
    (text) => `Content-Type: text/html; charset=utf-8\r\n\r\n<table><tr><td>${text.toWellFormed()}</td></tr></table>`,
  ),
  encodedWord.map(
    (name) =>
      `Content-Type: application/pdf; name="${name}"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK`,
  ),
  fc.constant(
    'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe',
  ),
);
export const mailGood: fc.Arbitrary<string> = fc
  .record({
    from: address,
    name: encodedWord,
    messageId,
    date,
    subject: encodedWord,
    kind: fc.constantFrom('mixed', 'alternative', 'related'),
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
  })
  .map(({ from, name, messageId: message, date: sent, subject, kind, parts }) =>
    [
      `From: ${name} <${from}>`,
      'To: office@example.com',
      `Message-ID: ${message}`,
      `Date: ${sent}`,
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      `Content-Type: multipart/${kind}; boundary="b1"`,
      '',
      ...parts.map((one) => `--b1\r\n${one}`),
      '--b1--',
      '',
    ].join('\r\n'),
  );

export const sendgridGood: fc.Arbitrary<Record<string, string>> = fc
  .record({ from: address, messageId, subject: words, text: words })
  .map(({ from, messageId: message, subject, text }) => ({
    headers: `From: ${from}\nMessage-ID: ${message}`,
    from,
    to: 'office@example.com',
    subject: subject.toWellFormed(),
    text: text.toWellFormed(),
    envelope: JSON.stringify({ to: ['office@example.com'], from }),
    charsets: '{"text":"utf-8"}',
    attachments: '0',
  }));
export const mailgunGood: fc.Arbitrary<Record<string, string>> = fc
  .record({ from: address, messageId, subject: words, text: words })
  .map(({ from, messageId: message, subject, text }) => ({
    recipient: 'office@example.com',
    sender: from,
    from,
    subject: subject.toWellFormed(),
    'body-plain': text.toWellFormed(),
    'message-headers': JSON.stringify([['Message-Id', message]]),
  }));
export const postmarkGood: fc.Arbitrary<unknown> = fc
  .record({ from: address, messageId, date, subject: words, text: words, file: maybe(words) })
  .map(({ from, messageId: message, date: sent, subject, text, file }) => ({
    From: from,
    FromFull: { Email: from, Name: 'Ada Demo' },
    To: 'office@example.com',
    MessageID: message,
    Subject: subject,
    TextBody: text,
    Date: sent,
    Headers: [{ Name: 'Message-ID', Value: message }],
    Attachments:
      file === undefined ? [] : [{ Name: file, Content: 'aGk=', ContentType: 'text/plain', ContentLength: 2 }],
  }));
