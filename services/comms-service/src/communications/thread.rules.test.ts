import { expect, test } from '@jest/globals';
import { sampleRecord } from '../../test/record.ts';
import { mayAnswer, takeFrom, threadOf } from './thread.rules.ts';

const email = { type: 'EMAIL', direction: 'OUTBOUND', body: 'Hello' } as const;
const renewal_id = '0195c4e0-0000-7000-8000-000000000009';
const other = '0195c4e0-0000-7000-8000-00000000000a';

test.each([
  ['Your permit', 'Re: Your permit'],
  ['RE: Your permit', 'RE: Your permit'],
  ['AW: Your permit', 'AW: Your permit'],
  ['Re[2]: Your permit', 'Re[2]: Your permit'],
  ['Renewal: your permit', 'Re: Renewal: your permit'],
  [null, null],
  ['', null],
  ['x'.repeat(998), `Re: ${'x'.repeat(994)}`],
])('the answer to %j is about %j', (subject, expected) => {
  expect(takeFrom(sampleRecord({ subject }), email).subject).toBe(expected);
});

test('a subject of its own counts; what came in is given none', () => {
  const answered = sampleRecord({ subject: 'Your permit' });
  expect(takeFrom(answered, { ...email, subject: 'Other' }).subject).toBe('Other');
  expect(takeFrom(answered, { ...email, direction: 'INBOUND' }).subject).toBeNull();
});

test('an answer belongs to the renewal of what it answers', () => {
  expect(takeFrom(sampleRecord({ renewal_id, renewal_ids: [renewal_id, other] }), email)).toMatchObject({
    renewal_ids: [renewal_id, other],
    in_reply_to: sampleRecord({}).id,
  });
  expect(takeFrom(undefined, email)).toEqual({ in_reply_to: null, subject: null, renewal_ids: [] });
});

test('only a record of the same customer and type is answered', () => {
  const record = sampleRecord({});
  expect(mayAnswer(record, 'C-1', 'EMAIL')).toBe(true);
  expect(mayAnswer(record, 'C-2', 'EMAIL')).toBe(false);
  expect(mayAnswer(record, 'C-1', 'SMS')).toBe(false);
  expect(mayAnswer(undefined, 'C-1', 'EMAIL')).toBe(false);
  expect(mayAnswer({ ...record, customer_id: null }, 'C-1', 'EMAIL')).toBe(false);
});

const id = (step: number, provider_message_id: string) => ({ step, provider_message_id });

test('an e-mail refers to all it follows, oldest first; a digest is no Message-ID', () => {
  expect(threadOf('EMAIL', [id(1, '<c@x>'), id(2, 'sha256:00'), id(3, '<a@x>')])).toEqual({
    external_id: '<c@x>',
    references: ['<a@x>', '<c@x>'],
  });
  expect(threadOf('EMAIL', [id(1, 'sha256:00'), id(2, '<a@x>')])).toEqual({
    external_id: null,
    references: ['<a@x>'],
  });
});

test('another channel names what it answers as its provider does', () => {
  expect(threadOf('MESSAGING_APP', [id(1, 'wamid.1')])).toEqual({ external_id: 'wamid.1', references: ['wamid.1'] });
});
