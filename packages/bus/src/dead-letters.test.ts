import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deadLetter } from '@ops/contracts/resources/dead-letter';
import { v7 as uuid } from 'uuid';
import { ZodError, z } from 'zod';
import { createTestSchema } from '../test/schema.ts';
import { outbox } from './conformance/events.ts';
import { createDeadLetters } from './dead-letters.ts';
import { AlreadyReplayedError } from './errors.ts';

let schema: Awaited<ReturnType<typeof createTestSchema>>;
const ids = Array.from({ length: 5 }, () => uuid());
beforeAll(async () => {
  schema = await createTestSchema();
  await schema.db('dead_letters').insert(
    ids.map((id, n) => ({
      id,
      queue: 'comms-service:customer:work',
      event_id: `event-${n}`,
      event_type: 'customer.changed',
      subject: 'C-1',
      body: JSON.stringify({ id: `event-${n}` }),
      attempts: 3,
      error: 'failed',
    })),
  );
});
afterAll(() => schema.drop());

const letters = () => createDeadLetters(schema.db, outbox);
const newestFirst = ids.toReversed();

test('lists newest first, page after page, in the shape of the contract', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await letters().list({ replayed: false, limit: 2, cursor });
    seen.push(
      ...z
        .array(deadLetter)
        .parse(page.data)
        .map(({ id }) => id),
    );
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(newestFirst);
});

test('a cursor that is none names its field', async () => {
  const failure = await letters()
    .list({ replayed: false, limit: 2, cursor: 'x' })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ZodError);
  expect((failure as ZodError).issues[0]?.path).toEqual(['cursor']);
});

test('a replay is written once, however many ask at the same time; an unknown letter is nothing', async () => {
  const [id = ''] = newestFirst;
  const ask = () => schema.db.transaction((trx) => letters().replay(trx, id));
  const answers = await Promise.allSettled([ask(), ask(), ask()]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers)
    if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(AlreadyReplayedError);
  expect(await schema.db('outbox')).toMatchObject([{ event_id: 'event-4', queue: 'comms-service:customer:work' }]);
  expect((await letters().list({ replayed: true, limit: 10 })).data).toMatchObject([{ id }]);
  expect(await schema.db.transaction((trx) => letters().replay(trx, uuid()))).toBeUndefined();
});
