import { expect } from '@jest/globals';
import type { Driven } from './drive.ts';

type Check = (driven: Driven, ...said: string[]) => void;

const message = (expected: object): Check => {
  return ({ messages }) => expect(messages).toMatchObject([expected]);
};
const receipt = (expected: object): Check => {
  return ({ receipts }) => expect(receipts).toMatchObject([expected]);
};
const nothing: Check = ({ delivery, messages, receipts }) => {
  expect([delivery.outcome, delivery.items, messages, receipts]).toEqual(['not_understood', 0, [], []]);
  expect(delivery.reason).not.toBeNull();
};
/** In words, whatever they are: a caption stands for itself. */
const told = message({ kind: 'message', body: expect.stringMatching(/\S/) });
const readable = message({ kind: 'message', body: expect.stringMatching(/^(?!Sent something).*\S/s) });
const named = expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]);

/** What a corpus says of a file in words that leave no choice, and what follows from them. */
const checks: [RegExp, Check][] = [
  [/delivered status|^status delivered|delivery report/, receipt({ status: 'DELIVERED' })],
  [/^sent status/, receipt({ status: 'SENT', occurred_at: expect.stringMatching(/^20/) })],
  [
    /^status failed (\d+)/,
    (driven, code) => receipt({ status: 'FAILED', failure: { code: `cloud-api:${code}` } })(driven),
  ],
  [/^reaction (?:added|with)/, message({ kind: 'reaction', emoji: expect.any(String) })],
  [/^reaction removed/, message({ kind: 'reaction', emoji: null, target_external_id: expect.any(String) })],
  [/customer deleted a message/, message({ kind: 'withdrawal', target_external_id: expect.any(String) })],
  [/BSUID rotation/, message({ kind: 'identity', new_identity: { user_id: expect.any(String) } })],
  [/NO from/, message({ sender: { phone: null, user_id: expect.any(String) } })],
  [/messages\.from \((\d+)\.\./, (driven, from) => expect(driven.messages[0]?.sender.phone).toContain(`+${from}`)],
  [/^reply: context/, message({ answers: { external_ids: [expect.any(String)] } })],
  [/^(?:image|video|voice|media)\b/, message({ parts: [{ source: 'provider', ref: expect.any(String) }] })],
  [/button_reply|list_reply|^quick reply/, readable],
  [/^place with|^live location/, told],
  [/^unsupported|^type "unknown"|carrying errors/, told],
  [
    /(\d) inbound rows \+ (\d) status update/,
    ({ messages, receipts }, rows, updates) =>
      expect([messages.length, receipts.length]).toEqual([Number(rows), Number(updates)]),
  ],
  [/must be ignored|tracking event|delivery event|template status event|participants removed|^store\(\)/, nothing],
  [/NUL bytes/, ({ messages }) => expect(messages[0]?.body).not.toContain('\0')],
  [/^auto-reply|\bDSN\b|^real bounce/, message({ automatic: true })],
  [
    /year 3609/,
    ({ messages }) => expect(Date.parse(messages[0]?.occurred_at ?? '')).toBeLessThan(Date.now() + 3_600_000),
  ],
  [/Shift_JIS|ISO-2022-JP/, message({ body: expect.stringMatching(/^[^\ufffd]*[\u3040-\u30ff][^\ufffd]*$/) })],
  [/^(?!.*(?:empty|no|without) file ?name).*file ?name/, message({ parts: named })],
  [
    /calendar invite/,
    message({ parts: expect.arrayContaining([expect.objectContaining({ media_type: 'text/calendar' })]) }),
  ],
  [/upper-case sender/, ({ messages }) => expect(messages[0]?.sender.email).toMatch(/^[^A-Z]+$/)],
  [/HTML that overflowed/, readable],
];

export function expectMeaning(meaning: string, driven: Driven): void {
  for (const [words, check] of checks) {
    const [said, ...groups] = words.exec(meaning) ?? [];
    if (said !== undefined) check(driven, ...groups);
  }
}
