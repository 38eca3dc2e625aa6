import { expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { said, told } from '../../test/message.ts';
import { answersOf, changesOf, inOrder, locksOf, withoutRepeats } from './inbound.rules.ts';

test('a batch is taken oldest first, each item once', () => {
  const late = said({ occurred_at: '2026-03-02T00:00:00Z' });
  const early = said({ occurred_at: '2026-03-01T23:59:59+00:00' });
  expect(inOrder([late, early, late].map(told)).map(({ item_id }) => item_id)).toEqual([early.item_id, late.item_id]);
});

test('of one message that came by itself and in the history, the history is left out, whichever is first in the batch', () => {
  const byItself = said({ external_id: 'm1' });
  const past = said({ external_id: 'm1', imported: true, automatic: true });
  for (const batch of [
    [past, byItself],
    [byItself, past],
  ]) {
    const { fresh } = withoutRepeats(inOrder(batch.map(told)), new Map());
    expect(fresh.map(({ item_id }) => item_id)).toEqual([byItself.item_id]);
  }
});

test('ids the provider names come first, our reply token last; what is no token of ours is none', () => {
  const record = uuidv7();
  const answers = (token: string | null) =>
    answersOf(said({ answers: { external_ids: ['<b@x>', '<a@x>', '<b@x>'], token } }));
  const named = [
    { external_id: '<b@x>', position: 0 },
    { external_id: '<a@x>', position: 1 },
  ];
  expect(answers(record.replaceAll('-', '').toUpperCase())).toMatchObject([
    ...named,
    { record_id: record, position: 2 },
  ]);
  for (const token of [null, 'news', 'z'.repeat(32)]) expect(answers(token)).toMatchObject(named);
  expect(answers('news')).toHaveLength(2);
});

test('the references of a long thread are bounded', () => {
  const external_ids = Array.from({ length: 500 }, (_, n) => `<${n}@example.com>`);
  expect(answersOf(said({ answers: { external_ids } }))).toHaveLength(20);
});

test('a message and what speaks of it hold one lock in common; so do all that may be one sender', () => {
  const common = (one: string[], other: string[]) => one.some((key) => other.includes(key));
  const message = said({ external_id: 'm1', sender: { phone: '+5511987654321' } });
  const elsewhere = { sender: { phone: '+447700900009' } };
  expect(common(locksOf(message), locksOf(said({ ...elsewhere, kind: 'reaction', target_external_id: 'm1' })))).toBe(
    true,
  );
  expect(common(locksOf(message), locksOf(said({ ...elsewhere, answers: { external_ids: ['m1'] } })))).toBe(true);
  expect(common(locksOf(message), locksOf(said({ sender: { phone: '+551187654321' } })))).toBe(true);
  expect(common(locksOf(message), locksOf(said(elsewhere)))).toBe(false);
});

test('a reaction taken back has no emoji, a withdrawal no words; without a target there is nothing to change', () => {
  const target_external_id = 'm1';
  expect(changesOf(said({ kind: 'reaction', target_external_id, emoji: '👍🏽' }))).toMatchObject([{ content: '👍🏽' }]);
  expect(changesOf(said({ kind: 'reaction', target_external_id, emoji: null }))).toMatchObject([{ content: null }]);
  expect(changesOf(said({ kind: 'edit', target_external_id, body: 'New' }))).toMatchObject([{ content: 'New' }]);
  expect(changesOf(said({ kind: 'withdrawal', target_external_id, body: '' }))).toMatchObject([{ content: null }]);
  expect(changesOf(said({ kind: 'reaction' }))).toEqual([]);
  expect(changesOf(said())).toEqual([]);
});
