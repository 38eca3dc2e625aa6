import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openJournal } from './journal.ts';
import type { Fact } from './message.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-journal-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('facts are there in the next life; a line that a kill cut off is not, and the next one stands on its own', async () => {
  const facts: Fact[] = ['1', '2'].map((id) => ({
    fact: 'hook_done',
    id,
    message_id: null,
    taken: true,
  }));
  const first = await openJournal(directory);
  first.append(facts[0] as Fact);
  first.close();
  await appendFile(join(directory, 'journal.jsonl'), '{"fact":"hook_d');
  const second = await openJournal(directory);
  expect(second.kept).toEqual([facts[0]]);
  second.append(facts[1] as Fact);
  second.close();
  const third = await openJournal(directory);
  third.close();
  expect(third.kept).toEqual(facts);
});
