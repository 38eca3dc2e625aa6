import { expect, test } from '@jest/globals';
import { begunAnew, changedIn, type Draft, overtaken, typedSince, write } from './renewal-draft.ts';

const stored = { due_date: '2026-03-01', policy_id: '', notes: 'Papers are here' };
const empty: Draft = { typed: {}, begun: {} };

test('what is typed counts as changed until what is stored says the same', () => {
  const draft = write(write(empty, stored, 'notes', 'mine'), stored, 'policy_id', 'P-1');
  expect(changedIn(draft, stored)).toEqual(['policy_id', 'notes']);
  expect(changedIn(draft, { ...stored, policy_id: 'P-1' })).toEqual(['notes']);
});

test('words that somebody else wrote meanwhile are overtaken only where one wrote too', () => {
  const draft = write(empty, stored, 'notes', 'mine');
  expect(overtaken(draft, stored)).toEqual([]);
  expect(overtaken(draft, { ...stored, due_date: '2026-04-01' })).toEqual([]);
  const theirs = { ...stored, notes: 'theirs, important' };
  expect(overtaken(draft, theirs)).toEqual(['notes']);
  // Typing on does not make them read.
  expect(overtaken(write(draft, theirs, 'notes', 'mine, and more'), theirs)).toEqual(['notes']);
  expect(overtaken(begunAnew(draft, theirs), theirs)).toEqual([]);
});

test('what is typed while the rest is being saved is left to be saved, beside what stands there by then', () => {
  const sent = write(write(empty, stored, 'notes', 'mine'), stored, 'policy_id', 'P-1');
  const after = { ...stored, notes: 'mine', policy_id: 'P-1' };
  expect(typedSince(sent, sent, after)).toEqual(empty);
  const left = typedSince(write(sent, stored, 'notes', 'mine, and more'), sent, after);
  expect([changedIn(left, after), overtaken(left, after)]).toEqual([['notes'], []]);
});
