import fc from 'fast-check';
import { appGood, mailGood, mailgunGood, postmarkGood, sendgridGood, smsGood, smsStatusGood } from './grammar.ts';

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

/** Somewhere in a good value, something else; more often deep down than above, where nothing would be left to read. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return fc.oneof(fc.constant(value), anyJson);
  const entries = Object.entries(value);
  if (entries.length === 0) return anyJson;
  const inside = fc.integer({ min: 0, max: entries.length - 1 }).chain((at) => {
    const [name, member] = entries[at] as [string, unknown];
    return spoilt(member).map((other) => (Array.isArray(value) ? value.with(at, other) : { ...value, [name]: other }));
  });
  return fc.oneof({ weight: 24, arbitrary: inside }, { weight: 1, arbitrary: anyJson });
}

const multipart = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--xx--\r\n`;

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
/** Fields put in, left out or given another value. */
const form = (good: fc.Arbitrary<Record<string, string>>) =>
  fc.oneof(
    good,
    good.chain((fields) =>
      fc
        .dictionary(fc.constantFrom(...Object.keys(fields), 'MediaUrl1', 'Latitude', 'attachment-1'), word, {
          maxKeys: 3,
        })
        .map((drawn) => wellFormed({ ...fields, ...drawn })),
    ),
    good.chain((fields) =>
      fc
        .constantFrom(...Object.keys(fields))
        .map((left) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== left))),
    ),
  );

const wellFormed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.toWellFormed()]));
const encoded = (fields: Record<string, string>) => Buffer.from(new URLSearchParams(wellFormed(fields)).toString());
const flipped = (good: fc.Arbitrary<Buffer>) => good.chain(mangled);

const json = 'application/json';
const parts = 'multipart/form-data; boundary=xx';
const posted = (weight: number, by: Drawn['by'], type: string, body: fc.Arbitrary<Buffer>) => ({
  weight,
  arbitrary: body.map((bytes) => ({ by, body: bytes, type })),
});
const withMail = (fields: fc.Arbitrary<Record<string, string>>, name: string) =>
  fc.tuple(fields, mailGood).map(([good, mail]) => ({ ...good, [name]: mail }));

const payloads: fc.Arbitrary<Pick<Drawn, 'by' | 'body' | 'type'>> = fc.oneof(
  posted(6, 'app', json, appGood.chain(spoilt).map(writtenJson)),
  posted(1, 'app', json, flipped(appGood.map(writtenJson))),
  posted(4, 'sms', 'application/x-www-form-urlencoded', form(fc.oneof(smsGood, smsStatusGood)).map(encoded)),
  posted(3, 'postmark', json, postmarkGood.chain(spoilt).map(writtenJson)),
  posted(
    1,
    'postmark',
    json,
    fc.tuple(postmarkGood, mailGood).map(([good, RawEmail]) => writtenJson({ ...(good as object), RawEmail })),
  ),
  posted(
    2,
    'mime',
    'message/rfc822',
    mailGood.map((mail) => Buffer.from(mail)),
  ),
  posted(3, 'mime', 'message/rfc822', flipped(mailGood.map((mail) => Buffer.from(mail)))),
  posted(
    3,
    'sendgrid',
    parts,
    form(sendgridGood).map((fields) => Buffer.from(multipart(fields))),
  ),
  posted(
    1,
    'sendgrid',
    parts,
    flipped(withMail(sendgridGood, 'email').map((fields) => Buffer.from(multipart(fields)))),
  ),
  posted(3, 'mailgun', '', form(fc.oneof(mailgunGood, withMail(mailgunGood, 'body-mime'))).map(writtenJson)),
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
