import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createGathering, togetherOrAlone } from './gathering.ts';

/** A door that opens when the test says so. */
function held() {
  const batches: number[][] = [];
  const opening: (() => void)[] = [];
  const work = (batch: readonly number[]) => {
    batches.push([...batch]);
    return new Promise<readonly number[]>((open) => opening.push(() => open(batch)));
  };
  return { batches, work, open: () => opening.splice(0).forEach((open) => void open()) };
}

const turn = () => new Promise((done) => setImmediate(done));

test('what comes while others are at work goes together next, and nobody is told before it is done', async () => {
  const { batches, work, open } = held();
  const gather = createGathering({ work, atOnce: 1, mayJoin: () => true });
  const done: number[] = [];
  const first = gather(1).then(() => done.push(1));
  await turn();
  const others = [2, 3, 4].map((one) => gather(one).then(() => done.push(one)));
  await turn();
  expect(batches).toEqual([[1]]);
  expect(done).toEqual([]);
  open();
  await first;
  await turn();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  expect(done).toEqual([1]);
  open();
  await Promise.all(others);
  expect(done).toEqual([1, 2, 3, 4]);
});

test('what may not go along waits for a batch of its own, and holds nobody up behind it', async () => {
  const batches: number[][] = [];
  const gather = createGathering<number, number>({
    atOnce: 1,
    async work(batch) {
      batches.push([...batch]);
      return batch;
    },
    mayJoin: (batch, one) => batch.length < 3 && !batch.includes(one),
  });
  await Promise.all([1, 1, 2, 3, 4].map(gather));
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 4],
  ]);
});

test('whoever waits for others that fail is told so, and the next begin', async () => {
  const gather = createGathering<string, string>({
    atOnce: 1,
    mayJoin: () => true,
    async work(batch) {
      if (batch.includes('bad')) throw new Error('not this batch');
      return batch;
    },
  });
  const told = await Promise.allSettled(['good', 'bad'].map(gather));
  expect(told).toMatchObject([{ reason: { message: 'not this batch' } }, { reason: { message: 'not this batch' } }]);
  expect(await gather('good')).toBe('good');
});

test('what is done alone keeps no place of a batch', async () => {
  const free = Promise.withResolvers<string>();
  const gather = togetherOrAlone<string, { is: string }>({
    atOnce: 1,
    mayJoin: () => true,
    together: async (batch) => (batch.includes('held') ? undefined : batch.map((is) => ({ is }))),
    alone: async (one) => ({ is: one === 'held' ? await free.promise : `${one}, alone` }),
  });
  const [held, beside] = ['held', 'beside'].map(gather);
  expect(await beside).toEqual({ is: 'beside, alone' });
  expect(await gather('next')).toEqual({ is: 'next' });
  free.resolve('free');
  expect(await held).toEqual({ is: 'free' });
});

test('whatever fails, everybody is told what came of their own, and all that could be done is done once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      async (bad, atOnce, most) => {
        const kept: number[] = [];
        const doAll = async (batch: readonly number[]) => {
          await turn();
          if (batch.some((one) => bad[one])) throw new Error(`not ${batch}`);
          kept.push(...batch);
          return batch.map((one) => ({ twice: one * 2 }));
        };
        const gather = togetherOrAlone<number, { twice: number }>({
          atOnce,
          mayJoin: (batch) => batch.length < most,
          together: (batch) => doAll(batch).catch(() => undefined),
          alone: async (one) => (await doAll([one]))[0] ?? { twice: NaN },
        });
        const told = await Promise.allSettled(bad.map((_, one) => gather(one)));
        expect(told).toEqual(
          bad.map((is, one) =>
            is
              ? { status: 'rejected', reason: new Error(`not ${one}`) }
              : { status: 'fulfilled', value: { twice: one * 2 } },
          ),
        );
        expect(kept.toSorted((one, other) => one - other)).toEqual(bad.flatMap((is, one) => (is ? [] : [one])));
      },
    ),
  );
});
