import { describe, expect, test } from '@jest/globals';
import { events } from '@ops/contracts/events';
import fc from 'fast-check';
import { mailOf, messageIn, multipart, read, readMessage, receivedAt } from '../../../../test/mails.ts';
import { usual } from '../../provider.ts';

test('a mail is a message of its writer', async () => {
  expect(await read(mailOf())).toEqual({
    items: [
      {
        variant: expect.stringMatching(/^sha256:/),
        message: {
          provider: 'mime',
          account: 'firm.example',
          kind: 'message',
          channel: 'EMAIL',
          external_id: '<m-1@example.com>',
          occurred_at: '2026-05-05T09:00:00.000Z',
          claimed_at: null,
          sender_key: 'EMAIL:ada@example.com',
          sender: {
            address: 'Ada@Example.com',
            email: 'ada@example.com',
            name: 'Ada Example',
            phone: null,
            user_id: null,
          },
          recipient: 'office@firm.example',
          subject: 'My permit',
          body: 'Hello',
          parts: [],
          answers: { external_ids: [], token: null },
          target_external_id: null,
          emoji: null,
          new_identity: null,
          automatic: false,
          reply_to: null,
          sender_verified: 'unknown',
          ...usual,
        },
      },
    ],
    parts: [],
  });
});

describe('whose it is', () => {
  test.each([
    [
      'the first of several that is an address',
      { From: 'nobody, Bob <bob@example.com>, eve@example.com' },
      'bob@example.com',
    ],
    ['not where answers go', { 'Reply-To': 'eve@example.com' }, 'ada@example.com'],
    [
      'who handed it in, where nobody wrote it',
      { From: undefined, 'Return-Path': '<bob@example.com>' },
      'bob@example.com',
    ],
    ['an address with a dot too many', { From: 'bob@example.com.' }, 'bob@example.com'],
    ['an address with a name that is another', { From: '"eve@example.com" <bob@example.com>' }, 'bob@example.com'],
    ['a name in words that are encoded', { From: '=?utf-8?q?J=C3=BCrg?= <bob@example.com>' }, 'bob@example.com'],
    ['a name in a charset that few know', { From: '=?cp850?Q?J=81rg=2C_A=2E?= <bob@example.com>' }, 'bob@example.com'],
    ['a domain in the letters of its owner', { From: 'bob@xn--mller-kva.example' }, 'bob@müller.example'],
  ])('%s', async (_, headers, email) => {
    const { sender, sender_key } = await readMessage(mailOf(headers));
    expect(sender.email).toBe(email);
    expect(sender_key).toBe(`EMAIL:${email}`);
  });

  test('with the name as it was written', async () => {
    const headers = { From: '=?cp850?Q?J=81rg=2C_A=2E?= <bob@example.com>' };
    expect((await readMessage(mailOf(headers))).sender.name).toBe('Jürg, A.');
  });

  test('nobody at all is nobody twice', async () => {
    const nobody = { From: undefined };
    const first = await readMessage(mailOf(nobody));
    const second = await readMessage(mailOf({ ...nobody, 'Message-ID': '<m-2@example.com>' }));
    expect(first.sender).toMatchObject({ address: 'unknown', email: null });
    expect(first.sender_key).not.toBe(second.sender_key);
  });
});

describe('which one it is', () => {
  const keyOf = async (mail: Buffer) => {
    const { items } = await read(mail);
    const [item] = items;
    return [messageIn({ items, parts: [] }).external_id, item && 'message' in item && item.variant];
  };

  test('the same however it travelled', async () => {
    expect(await keyOf(mailOf({ Received: 'from a', 'Delivered-To': 'one@firm.example' }))).toEqual(
      await keyOf(mailOf({ Received: 'from b', 'Delivered-To': 'two@firm.example' })),
    );
  });

  test('another if the words are others, though a program gives each mail the same id', async () => {
    expect(await keyOf(mailOf({}, 'One'))).not.toEqual(await keyOf(mailOf({}, 'Two')));
  });

  test('without an id, by all that it is', async () => {
    const without = (more: object = {}, body?: string) => keyOf(mailOf({ 'Message-ID': undefined, ...more }, body));
    expect(await without()).toEqual(await without());
    expect((await without())[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await without({ Received: 'on Monday' })).not.toEqual(await without({ Received: 'on Tuesday' }));
    expect(await without({}, 'One')).not.toEqual(await without({}, 'Two'));
  });
});

test.each([
  ['Tue, 5 May 2026 09:00:00 +0200 (CEST)', '2026-05-05T07:00:00.000Z'],
  ['5 May 2026 09:00:00', '2026-05-05T09:00:00.000Z'],
  ['Sat, 30 Jun 3609 09:33:50 +0000', '2026-05-05T10:00:00.000Z'],
  ['Mon, 6 Jun 2005 22:21:22 +0200', receivedAt.toISOString()],
  ['<HR>', receivedAt.toISOString()],
  ['today', receivedAt.toISOString()],
  [undefined, receivedAt.toISOString()],
])('the date %s is taken for %s', async (given, taken) => {
  expect((await readMessage(mailOf({ Date: given }))).occurred_at).toBe(taken);
});

describe('what it answers', () => {
  const token = '0123456789abcdef0123456789ABCDEF';

  test.each([
    ['To', { To: `Office <office+${token}@firm.example>` }],
    ['Cc', { Cc: `bob@example.com, "Office, of the firm" <office+${token}@firm.example>` }],
    ['Delivered-To', { 'Delivered-To': `office+${token}@firm.example` }],
    ['a group', { To: `Firm: office+${token}@firm.example;` }],
  ])('our token, in %s', async (_, headers) => {
    expect((await readMessage(mailOf(headers))).answers.token).toBe(token.toLowerCase());
  });

  test('our token, where only the server knows the address, or what stood in it', async () => {
    const of = async (envelope: object) =>
      (await readMessage(mailOf(), { envelope: { recipients: [], sender: null, ...envelope } })).answers.token;
    expect(await of({ recipients: [`office+${token}@firm.example`] })).toBe(token.toLowerCase());
    expect(await of({ hash: token })).toBe(token.toLowerCase());
    expect(await of({ hash: 'SampleHash' })).toBeNull();
  });

  test('the mail it answers first, then those before it, the newest first', async () => {
    const headers = { 'In-Reply-To': '<c@x.example>', References: '<a@x.example>\r\n <b@x.example> <c@x.example>' };
    const { answers } = await readMessage(mailOf(headers));
    expect(answers.external_ids).toEqual(['<c@x.example>', '<b@x.example>', '<a@x.example>']);
  });

  test('nothing, where the header is empty', async () => {
    expect((await readMessage(mailOf({ 'In-Reply-To': '', References: 'none' }))).answers.external_ids).toEqual([]);
  });
});

test.each([
  [{ 'Reply-To': 'Assistant <Desk@Example.com>' }, 'desk@example.com'],
  [{ 'Reply-To': 'eve@example.com, Ada <ADA@example.com>' }, null],
  [{ 'Reply-To': '<""> ' }, null],
  [{}, null],
])('where answers go, by %j: %s', async (headers, replyTo) => {
  expect(await readMessage(mailOf(headers))).toMatchObject({ reply_to: replyTo, sender: { email: 'ada@example.com' } });
});

test.each([
  [{ 'Auto-Submitted': 'auto-replied (vacation)' }, true],
  [{ 'Auto-Submitted': 'no' }, false],
  [{ Precedence: 'Bulk' }, true],
  [{ 'List-Id': '<office.firm.example>', Precedence: 'list' }, false],
  [{ 'X-Autoreply': 'yes' }, true],
  [{ 'X-Autoreply': 'no' }, false],
  [{ 'X-Failed-Recipients': 'ada@example.com' }, true],
  [{ 'X-Auto-Response-Suppress': 'All' }, true],
  [{ 'X-Auto-Response-Suppress': 'OOF, NRN, AutoReply' }, true],
  [{ 'X-Auto-Response-Suppress': 'DR, OOF, AutoReply' }, false],
  [{ 'Content-Type': 'multipart/report; report-type=disposition-notification; boundary=limit' }, true],
  [{ 'Content-Type': 'multipart/mixed; boundary=report' }, false],
  [{ From: 'MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com' }, true],
  [{ 'Return-Path': '<>' }, true],
  [{ 'Return-Path': '<ada@example.com>' }, false],
  [{ From: 'MAILER-DAEMON@example.com' }, true],
])('written by a machine, by %j: %s', async (headers, automatic) => {
  expect((await readMessage(mailOf(headers))).automatic).toBe(automatic);
});

describe('what is written', () => {
  const html = 'Content-Type: text/html; charset=utf-8\r\n\r\n<p>Hello <b>Ada</b></p><img src="cid:logo@x">';
  const png = 'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n';

  test('text stays text; HTML and files are parts, an embedded image with its id', async () => {
    const file = `${png}Content-Disposition: attachment; filename="=?utf-8?q?Fa=C3=A7ade.png?="\r\n\r\nAQID`;
    const image = `${png}Content-ID: <logo@x>\r\n\r\nAQI=`;
    const body = multipart('Content-Type: text/plain\r\n\r\nHello', html, image, file);
    const reading = await read(mailOf({ 'Content-Type': 'multipart/mixed; boundary=limit' }, body));
    const message = messageIn(reading);
    expect(message.parts).toMatchObject([
      { source: 'ingest', role: 'html', media_type: 'text/html', content_id: null },
      { source: 'ingest', role: 'file', media_type: 'image/png', content_id: 'logo@x', size: 2 },
      { source: 'ingest', role: 'file', media_type: 'image/png', content_id: null, name: 'Façade.png', size: 3 },
    ]);
    expect(message.parts.map(({ ref }) => ref)).toEqual(reading.parts.map(({ id }) => id));
    expect(reading.parts[2]?.bytes).toEqual(Buffer.from([1, 2, 3]));
    expect(message.body).toContain('Hello');
  });

  test('HTML alone gives a text to read', async () => {
    const body =
      '<h1>Hello</h1><p>See <a href="https://example.com/a">this</a>.<br>Ada</p><style>p { color: red }</style>';
    const message = await readMessage(mailOf({ 'Content-Type': 'text/html' }, body));
    expect(message.body).toBe('Hello\n\nSee this <https://example.com/a>.\nAda');
    expect(message.parts).toMatchObject([{ role: 'html' }]);
  });

  test.each([
    ['iso-2022-jp', Buffer.from('\x1b$B$9$_$^$;$s!#\x1b(B', 'latin1'), 'すみません。'],
    ['Shift_JIS', Buffer.from([0x82, 0xa0, 0x82, 0xa2]), 'あい'],
    ['iso-8859-1', Buffer.from('Zürich', 'latin1'), 'Zürich'],
    ['x-unknown', Buffer.from('plain'), 'plain'],
  ])('text in %s is read', async (charset, bytes, body) => {
    const mail = Buffer.concat([mailOf({ 'Content-Type': `text/plain; charset=${charset}` }, ''), bytes]);
    expect((await readMessage(mail)).body).toBe(body);
  });

  test('a mail within a mail stays a file: somebody else wrote it', async () => {
    const inner = `Content-Type: message/rfc822\r\n\r\n${mailOf({ From: 'eve@example.com', 'Message-ID': '<other@x.example>' }, 'Other')}`;
    const body = multipart('\r\nLook', inner);
    const message = await readMessage(mailOf({ 'Content-Type': 'multipart/mixed; boundary=limit' }, body));
    expect(message).toMatchObject({
      body: 'Look',
      external_id: '<m-1@example.com>',
      sender: { email: 'ada@example.com' },
    });
    expect(message.parts).toMatchObject([{ role: 'file', name: 'message.eml', media_type: 'message/rfc822' }]);
  });

  test('of very many files the mail itself is kept, so that none is lost', async () => {
    const file = 'Content-Type: image/png\r\nContent-Disposition: attachment\r\n\r\nx';
    const mail = mailOf({ 'Content-Type': 'multipart/mixed; boundary=limit' }, multipart(...Array(120).fill(file)));
    const { parts } = await read(mail);
    expect(parts.filter(({ role }) => role === 'file')).toHaveLength(90);
    expect(parts.at(-1)).toMatchObject({ role: 'original', mediaType: 'message/rfc822', bytes: mail });
  });
});

const nested = Array.from({ length: 60 }, (_, depth) => {
  const outer = depth === 0 ? 'limit' : `b${depth - 1}`;
  return `--${outer}\r\nContent-Type: multipart/mixed; boundary=b${depth}\r\n\r\n`;
}).join('');
const mixed = { 'Content-Type': 'multipart/mixed; boundary=limit' };

test.each([
  ['parts within parts without end', mailOf(mixed, nested)],
  [
    'headers without end',
    mailOf({}, `${'X: y\r\n'.repeat(10)}`)
      .toString()
      .replace('\r\n\r\n', `\r\n${'X: y\r\n'.repeat(150_000)}\r\n`),
  ],
  ['parts without number', mailOf(mixed, multipart(...Array(10_001).fill('\r\nx')))],
])('a mail that cannot be read for its %s is a message all the same, with the mail as it came', async (_, given) => {
  const mail = Buffer.from(given);
  const reading = await read(mail);
  expect(messageIn(reading)).toMatchObject({
    body: 'Sent an e-mail that could not be read; it is attached as it came.',
    sender: { email: 'ada@example.com' },
    subject: 'My permit',
    external_id: '<m-1@example.com>',
    parts: [{ role: 'original', name: 'message.eml', size: mail.length }],
  });
  expect(reading.parts[0]?.bytes.equals(mail)).toBe(true);
});

test('lines without end are a mail without words', async () => {
  const mail = mailOf({}, '\n'.repeat(20_000_000));
  expect(await readMessage(mail)).toMatchObject({ body: '', parts: [], external_id: '<m-1@example.com>' });
});

test('a large mail is read apart and gives the same', async () => {
  const attachment = Buffer.alloc(300_000, 7);
  const file = `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${attachment.toString('base64')}`;
  const reading = await read(mailOf(mixed, multipart('\r\nSee the file', file)));
  expect(messageIn(reading)).toMatchObject({ body: 'See the file', sender: { email: 'ada@example.com' } });
  expect(reading.parts[0]?.bytes.equals(attachment)).toBe(true);
});

const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    '\n',
    '\r\n\r\n',
    ' ',
    '\t',
    ':',
    ';',
    '<',
    '>',
    '"',
    '--limit',
    '--limit--',
    '=?utf-8?b?',
    '?=',
    '\0',
    '\u00ff',
  ),
  fc.constantFrom(
    'From: ',
    'To: ',
    'Date: ',
    'Message-ID: <',
    'Content-Type: ',
    'References: ',
    'Auto-Submitted: ',
    'a@b.example',
  ),
  fc.constantFrom(
    'multipart/mixed; boundary=limit',
    'multipart/report',
    'message/rfc822',
    'message/delivery-status',
    'text/html',
    'text/plain; charset=utf-7',
  ),
  fc.constantFrom(
    'Content-Transfer-Encoding: base64',
    'Content-Transfer-Encoding: quoted-printable',
    'Action: failed',
    '=3D=',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('whatever is posted becomes exactly one item that fits the event, and every part of it is kept', async () => {
  const mails = fc.array(piece, { maxLength: 80 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'));
  const kept = { delivery_id: '0199b3c0-0000-7000-8000-000000000001', item_id: '0199b3c0-0000-7000-8000-000000000002' };
  await fc.assert(
    fc.asyncProperty(mails, async (mail) => {
      const reading = await read(mail);
      const message = messageIn(reading);
      expect(
        events['provider.message.received'].data.safeParse({
          ...message,
          ...kept,
          received_at: receivedAt.toISOString(),
        }).error,
      ).toBeUndefined();
      expect(message.parts.map(({ ref }) => ref)).toEqual(reading.parts.map(({ id }) => id));
      expect(message.external_id).not.toBe('');
    }),
    { numRuns: 500 },
  );
});
