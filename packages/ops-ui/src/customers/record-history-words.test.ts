import { describe, expect, test } from '@jest/globals';
import type { Communication } from '../api/types.ts';
import { entryInWords, linesOf } from './record-history-words.ts';

const failure = { code: 'smtp:550', message: 'no such mailbox' };
const written = { nameOf: (id: string) => `Agent ${id}`, timeOf: (at: string) => `<${at}>` };

test.each([
  [{ change: 'delivery', actor: null, details: { status: 'READ', failure: null } }, 'read'],
  [{ change: 'delivery', actor: null, details: { status: 'SENT', provider: 'smtp', attempt: 1 } }, 'sent (smtp)'],
  [
    { change: 'delivery', actor: null, details: { status: 'FAILED', failure, provider: 'smtp', attempt: 2 } },
    'not delivered: no such mailbox (smtp) (attempt 2)',
  ],
  [
    {
      change: 'delivery',
      actor: null,
      details: { status: 'QUEUED', send_after: 'noon', send_after_reason: { message: 'quiet hours' } },
    },
    'put off until <noon>: quiet hours',
  ],
  [{ change: 'retried', actor: 'ada', details: {} }, 'sent again, by Agent ada'],
  [{ change: 'resolved', actor: 'ada', details: { outcome: 'failed' } }, 'said not to have arrived, by Agent ada'],
  [
    { change: 'moved', actor: 'ada', details: { from: 'C-1', to: 'C-2' } },
    'moved here from the log of C-1, by Agent ada',
  ],
  [
    {
      change: 'changed',
      actor: 'ada',
      details: { fields: ['body', 'send_after'], attempt: 1, from: null, to: 'noon' },
    },
    'changed before it left: its words, when it leaves, to leave <noon>, by Agent ada',
  ],
  [{ change: 'redacted', actor: null, details: {} }, 'its words were removed when their time was over'],
] as const)('%j', (entry, words) => {
  expect(entryInWords({ ...entry, details: { ...entry.details } }, written)).toBe(words);
});

describe('all that happened to a record', () => {
  const at = (minute: number) => `2031-03-01T10:0${minute}:00Z`;
  const record = (change: Partial<Communication>) =>
    ({
      direction: 'OUTBOUND',
      created_at: at(0),
      received_at: null,
      author: 'ada',
      sender: null,
      provider: 'smtp',
      phone_app: false,
      automated: false,
      amendments: [],
      reactions: [],
      ...change,
    }) as Communication;
  const entry = (minute: number, status: string) => ({
    id: status,
    change: 'delivery' as const,
    actor: null,
    at: at(minute),
    details: { status },
  });
  const words = (...given: Parameters<typeof linesOf>) => linesOf(...given).map((one) => `${one.at} ${one.words}`);

  test('is told newest first, from who wrote it', () => {
    expect(words(record({}), [entry(2, 'READ'), entry(1, 'SENT')], true, written)).toEqual([
      `${at(2)} read`,
      `${at(1)} sent`,
      `${at(0)} written by Agent ada`,
    ]);
  });

  test('of a customer says where it came from, that they changed it, and took it back', () => {
    const theirs = record({
      direction: 'INBOUND',
      author: null,
      sender: '+447700900123',
      provider: 'cloud-api',
      received_at: at(1),
      amendments: [
        { at: at(2), body: 'No.' },
        { at: at(4), body: null },
      ],
      reactions: [{ emoji: '❤', from: '+447700900100', at: at(3) }],
    });
    expect(words(theirs, [], true, written)).toEqual([
      `${at(4)} taken back by the customer`,
      `${at(3)} ❤ from +447700900100`,
      `${at(2)} its words changed by the customer`,
      `${at(1)} came from +447700900123 (cloud-api)`,
    ]);
  });

  test('says nothing that is older than what is still to be fetched', () => {
    expect(words(record({}), [entry(2, 'READ')], false, written)).toEqual([`${at(2)} read`]);
  });
});
