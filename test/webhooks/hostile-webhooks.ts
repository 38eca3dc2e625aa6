import { canary } from '@ops/test-kit/logs';
import fc from 'fast-check';
import { appPayload, appText } from './as-provider.ts';

/** A body to be signed, by whom. */
export interface Drawn {
  by: 'app' | 'sms' | 'postmark' | 'sendgrid' | 'mailgun' | 'mime';
  body: Buffer;
  type: string;
  signed: boolean;
}

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    'x'.repeat(70_000),
    '../../etc/passwd',
    '__proto__',
    '1e999',
    '-1',
    '👋'.repeat(300),
  ),
  fc.constantFrom('447700900123', 'GB.101', 'someone@example.com', '<a@b>', '"x" <a@b>, c@d', 'constructor', 'null'),
);
const anyJson = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(word, fc.double(), fc.boolean(), fc.constant(null), fc.integer()),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(word, tie('any'), { maxKeys: 4 }),
  ),
})).any;

/** Somewhere in a good value, something else. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, anyJson);
  const entries = Object.entries(value);
  if (entries.length === 0) return anyJson;
  const inside = fc.integer({ min: 0, max: entries.length - 1 }).chain((at) => {
    const [name, member] = entries[at] as [string, unknown];
    return spoilt(member).map((other) => (Array.isArray(value) ? value.with(at, other) : { ...value, [name]: other }));
  });
  return fc.oneof({ weight: 6, arbitrary: inside }, { weight: 1, arbitrary: anyJson });
}

const said = () => canary();
const appSamples = () => [
  appText('wamid.f1', '447700900123', said()),
  {
    id: 'wamid.f2',
    from: '447700900123',
    timestamp: '1750000000',
    type: 'image',
    image: { id: 'M', mime_type: 'image/png' },
  },
  { id: 'wamid.f3', from: '447700900123', type: 'reaction', reaction: { message_id: 'wamid.f1', emoji: '👍' } },
  {
    id: 'wamid.f4',
    from: '447700900123',
    type: 'edit',
    edit: { original_message_id: 'wamid.f1', message: { type: 'text', text: { body: said() } } },
  },
  {
    id: 'wamid.f5',
    from: '447700900123',
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'A' }, phones: [{ phone: '1' }] }],
  },
  {
    id: 'wamid.f6',
    type: 'system',
    system: { body: 'X changed from GB.1 to GB.2', user_id: 'GB.2', wa_id: '447700900456' },
  },
  { id: 'wamid.f7', from: '447700900123', type: 'location', location: { latitude: 1, longitude: 2 } },
];
const appStatus = {
  id: 'wamid.s1',
  status: 'failed',
  timestamp: '1750000000',
  errors: [{ code: 131047, error_data: { details: 'x' } }],
};
const userIdUpdate = { wa_id: '447700900123', user_id: { previous: 'GB.1', current: 'GB.2' }, timestamp: '1750000000' };
const good = () => {
  const payload = JSON.parse(appPayload(appSamples(), [appStatus]));
  payload.entry[0].changes.push({ field: 'user_id_update', value: { user_id_update: [userIdUpdate] } });
  return payload;
};
const smsFields = {
  MessageSid: 'SM1',
  From: '+447700900123',
  To: '+447700900000',
  Body: said(),
  NumMedia: '1',
  MediaUrl0: 'https://example.com/m',
};
const statusFields = { MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode: '30003', To: '+447700900123' };

const mail = [
  'From: Ada <ada@example.com>',
  'To: office+0198c0de000070008000000000000001@example.com',
  'Message-ID: <m1@example.com>',
  'In-Reply-To: <x@y>',
  'Date: Sun, 01 Mar 2026 10:00:00 +0000',
  'Subject: =?utf-8?B?SMOpbGxv?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b1"',
  '',
  '--b1',
  'Content-Type: text/plain; charset=utf-8',
  '',
  `Hello ${said()}`,
  '--b1',
  'Content-Type: text/html',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Hello=20<script>alert(1)</script></p>',
  '--b1',
  'Content-Type: application/pdf; name="a.pdf"',
  "Content-Disposition: attachment; filename*=utf-8''%e2%82%ac.pdf",
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjQK',
  '--b1--',
  '',
].join('\r\n');
const multipart = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--xx--\r\n`;
const sendgridFields = {
  headers: 'From: a@example.com\nMessage-ID: <m2@example.com>',
  from: 'a@example.com',
  to: 'b@example.com',
  subject: 'x',
  text: said(),
  html: '<b>x</b>',
  envelope: '{"to":["b@example.com"],"from":"a@example.com"}',
  charsets: '{"text":"utf-8"}',
  attachments: '0',
};
const mailgunFields = {
  recipient: 'b@example.com',
  sender: 'a@example.com',
  from: 'a@example.com',
  subject: 'x',
  'body-plain': said(),
  'message-headers': '[["Message-Id","<m3@example.com>"]]',
  'content-id-map': '{}',
};
const postmarkMail = {
  From: 'a@example.com',
  FromFull: { Email: 'a@example.com', Name: 'A' },
  To: 'b@example.com',
  MessageID: 'x',
  Subject: 'x',
  TextBody: said(),
  HtmlBody: '<b>x</b>',
  Date: 'Sun, 01 Mar 2026 10:00:00 +0000',
  Headers: [{ Name: 'Message-ID', Value: '<m4@example.com>' }],
  Attachments: [{ Name: 'a.txt', Content: 'aGk=', ContentType: 'text/plain', ContentLength: 2 }],
};

/** Bytes turned, cut, doubled or put in, wherever. */
const mangled = (body: Buffer): fc.Arbitrary<Buffer> => {
  const at = fc.integer({ min: 0, max: Math.max(body.length - 1, 0) });
  return fc.oneof(
    fc
      .tuple(at, fc.integer({ min: 0, max: 255 }))
      .map(([n, byte]) => Buffer.concat([body.subarray(0, n), Buffer.of(byte), body.subarray(n + 1)])),
    at.map((n) => body.subarray(0, n)),
    fc.tuple(at, at).map(([a, b]) => Buffer.concat([body.subarray(0, a), body.subarray(Math.min(a, b))])),
    fc
      .tuple(at, fc.uint8Array({ maxLength: 200 }))
      .map(([n, more]) => Buffer.concat([body.subarray(0, n), more, body.subarray(n)])),
  );
};
const noise = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));
const deep = fc
  .integer({ min: 100, max: 100_000 })
  .chain((n) => fc.constantFrom('['.repeat(n), '{"a":'.repeat(n), `${'['.repeat(n)}${']'.repeat(n)}`));
const writtenJson = (value: unknown) => Buffer.from(JSON.stringify(value) ?? 'null');

const types = fc.constantFrom(
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=xx',
  'multipart/form-data',
  'message/rfc822',
  'text/plain; charset=klingon',
  '',
);
const form = (fields: Record<string, string>) =>
  fc.oneof(
    fc
      .dictionary(fc.constantFrom(...Object.keys(fields), 'MediaUrl1', 'Latitude', 'attachment-1'), word)
      .map((drawn) => ({ ...fields, ...drawn })),
    fc.constant(fields),
  );

const payloads: fc.Arbitrary<Pick<Drawn, 'by' | 'body' | 'type'>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constant(good())
      .chain(spoilt)
      .map((value) => ({ by: 'app' as const, body: writtenJson(value), type: 'application/json' })),
  },
  {
    weight: 1,
    arbitrary: mangled(writtenJson(good())).map((body) => ({ by: 'app' as const, body, type: 'application/json' })),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(form(smsFields), form(statusFields)).map((fields) => ({
      by: 'sms' as const,
      body: Buffer.from(new URLSearchParams(wellFormed(fields)).toString()),
      type: 'application/x-www-form-urlencoded',
    })),
  },
  {
    weight: 2,
    arbitrary: spoilt(postmarkMail).map((value) => ({
      by: 'postmark' as const,
      body: writtenJson(value),
      type: 'application/json',
    })),
  },
  {
    weight: 1,
    arbitrary: spoilt({ ...postmarkMail, RawEmail: mail }).map((value) => ({
      by: 'postmark' as const,
      body: writtenJson(value),
      type: 'application/json',
    })),
  },
  {
    weight: 3,
    arbitrary: mangled(Buffer.from(mail)).map((body) => ({ by: 'mime' as const, body, type: 'message/rfc822' })),
  },
  {
    weight: 2,
    arbitrary: form(sendgridFields).map((fields) => ({
      by: 'sendgrid' as const,
      body: Buffer.from(multipart(fields)),
      type: 'multipart/form-data; boundary=xx',
    })),
  },
  {
    weight: 1,
    arbitrary: mangled(Buffer.from(multipart({ ...sendgridFields, email: mail }))).map((body) => ({
      by: 'sendgrid' as const,
      body,
      type: 'multipart/form-data; boundary=xx',
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .oneof(form(mailgunFields), form({ ...mailgunFields, 'body-mime': mail }))
      .map((fields) => ({ by: 'mailgun' as const, body: Buffer.from(JSON.stringify(wellFormed(fields))), type: '' })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('app' as const, 'sms' as const, 'postmark' as const, 'sendgrid' as const, 'mime' as const),
        fc.oneof(
          noise,
          deep.map((text) => Buffer.from(text)),
          anyJson.map(writtenJson),
        ),
        types,
      )
      .map(([by, body, type]) => ({ by, body, type })),
  },
);
export const drawn: fc.Arbitrary<Drawn> = fc
  .tuple(payloads, fc.integer({ min: 0, max: 3 }))
  .map(([payload, luck]) => ({ ...payload, signed: luck > 0 }));

const wellFormed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.toWellFormed()]));
