import { expect, test } from '@jest/globals';
import { events } from '@ops/contracts/events';
import fc from 'fast-check';
import type { Item, MessageData } from '../providers/provider.ts';
import { keepItems } from './item-events.ts';
import { cut, id, printable } from './tidy.rules.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({ unit: 'binary-ascii', maxLength: 50 }),
  fc.constantFrom(
    '\ud800',
    'a\u0000b',
    '"'.repeat(70_000),
    '\u0001'.repeat(70_000),
    '漢'.repeat(70_000),
    '👋'.repeat(40_000),
  ),
);
const textOrNull = fc.option(anyText);
const identity = fc.record({ phone: textOrNull, user_id: textOrNull });
const part = fc.record({
  source: fc.constant('provider' as const),
  role: fc.constantFrom('file' as const, 'html' as const, 'original' as const),
  ref: anyText,
  name: textOrNull,
  media_type: anyText,
  size: fc.option(fc.nat()),
  content_id: textOrNull,
});
const texts = fc.oneof(fc.array(anyText, { maxLength: 3 }), fc.constant(Array<string>(300).fill('+44 7700 900123')));
const card = fc.record({
  name: textOrNull,
  organisation: textOrNull,
  phones: texts,
  emails: texts,
  addresses: texts,
  websites: texts,
  birthday: textOrNull,
});
const anyMessage: fc.Arbitrary<MessageData> = fc.record({
  provider: fc.constantFrom('cloud-api' as const, 'mime' as const),
  kind: fc.constantFrom('message' as const, 'reaction' as const),
  channel: fc.constantFrom('EMAIL' as const, 'SMS' as const),
  occurred_at: fc.constant('2026-03-01T10:00:00.000Z'),
  claimed_at: fc.constant(null),
  account: anyText,
  external_id: anyText,
  sender_key: anyText,
  recipient: textOrNull,
  subject: textOrNull,
  body: anyText,
  sender: fc.record({
    address: anyText,
    phone: textOrNull,
    email: textOrNull,
    user_id: textOrNull,
    name: textOrNull,
    username: textOrNull,
  }),
  parts: fc.oneof(
    fc.array(part, { maxLength: 3 }),
    part.map((one) => Array.from({ length: 300 }, () => one)),
  ),
  answers: fc.record({ external_ids: fc.array(anyText, { maxLength: 80 }), token: textOrNull }),
  target_external_id: textOrNull,
  emoji: textOrNull,
  new_identity: fc.option(identity),
  automatic: fc.boolean(),
  direction: fc.constantFrom('INBOUND' as const, 'OUTBOUND' as const),
  imported: fc.boolean(),
  forwarded: fc.boolean(),
  group: textOrNull,
  contacts: fc.oneof(
    fc.array(card, { maxLength: 3 }),
    card.map((one) => Array.from({ length: 300 }, () => one)),
  ),
  place: fc.option(
    fc.record({
      name: textOrNull,
      address: textOrNull,
      latitude: fc.option(fc.double({ min: -90, max: 90, noNaN: true })),
      longitude: fc.option(fc.double({ min: -180, max: 180, noNaN: true })),
    }),
  ),
  opted_out: fc.constantFrom(true, false, null),
});

const from = { id: '0198c0de-0000-7000-8000-000000000001', provider: 'cloud-api', receivedAt: new Date(0) } as const;
const newId = () => '0198c0de-0000-7000-8000-000000000002';
const keep = (item: Item) => keepItems({ items: [item], parts: [] }, from, newId);

test('whatever a provider sends fits the event, the index and the broker, and nothing of a text is lost', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const { items, parts } = keep({ message });
      const event = items[0]?.event;
      expect(items[0]?.reason).toBeNull();
      const data = events['provider.message.received'].data.strict().parse(event?.data);
      const written = JSON.stringify(data);
      expect(Buffer.byteLength(written)).toBeLessThanOrEqual(500 * 1024);
      expect(written).not.toContain('\\u0000');
      expect(Buffer.byteLength(data.external_id)).toBeLessThan(1_100);
      expect(parts.map(({ bytes }) => bytes.toString())).toEqual(
        message.body.length > 65_536 ? [printable(message.body)] : [],
      );
      expect(printable(message.body).startsWith(data.body)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('an id too long is known by its digest, others stay as they are', () => {
  expect(id('wamid.1')).toBe('wamid.1');
  expect(id('x'.repeat(255))).toHaveLength(255);
  expect(id('x'.repeat(256))).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(id('x'.repeat(256))).not.toBe(id('x'.repeat(257)));
});

test('a cut never goes through a character', () => {
  expect(cut('ab👋', 3)).toBe('ab');
  expect(cut('ab👋', 4)).toBe('ab👋');
});

test('control characters show that something stood there; line breaks and tabs stay', () => {
  expect(printable('a\u0000b\u001b\n\tc\ud800')).toBe('a\ufffdb\ufffd\n\tc\ufffd');
});

test.each([
  ['image\\/jpeg', 'image/jpeg'],
  ['audio/ogg; codecs=opus', 'audio/ogg'],
  ['TEXT/HTML', 'text/html'],
  ['a/b\r\nX-Evil: 1', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('the media type %p is %s', (given, expected) => {
  const bytes = Buffer.alloc(0);
  const part = {
    id: newId(),
    role: 'file',
    name: '../../etc/passwd',
    mediaType: given,
    contentId: null,
    bytes,
  } as const;
  expect(keepItems({ items: [], parts: [part] }, from, newId).parts).toMatchObject([
    { mediaType: expected, name: 'passwd' },
  ]);
});

test("what would not fit the event is set aside, and stands in nobody else's way", () => {
  const receipt = {
    provider: 'cloud-api',
    account: '',
    external_id: 'x',
    attempt_id: 'no uuid',
    status: 'READ',
    occurred_at: '2026-03-01T10:00:00.000Z',
    failure: null,
  } as const;
  expect(keep({ receipt }).items).toMatchObject([
    {
      outcome: 'not_understood',
      variant: 'NOT_UNDERSTOOD',
      event: null,
      reason: expect.stringContaining('attempt_id'),
    },
  ]);
});
