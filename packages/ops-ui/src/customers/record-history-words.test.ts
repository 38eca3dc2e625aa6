import { expect, test } from '@jest/globals';
import { entryInWords } from './record-history-words.ts';

const failure = { code: 'smtp:550', message: 'no such mailbox' };

test.each([
  [{ change: 'delivery', actor: null, details: { status: 'READ', failure: null } }, 'read'],
  [{ change: 'delivery', actor: null, details: { status: 'FAILED', failure } }, 'not delivered: no such mailbox'],
  [{ change: 'retried', actor: 'ada', details: {} }, 'sent again, by Agent ada'],
  [{ change: 'redacted', actor: null, details: {} }, 'its words were removed when their time was over'],
] as const)('%j', (entry, words) => {
  expect(entryInWords(entry, (id) => `Agent ${id}`)).toBe(words);
});
