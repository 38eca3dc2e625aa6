import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createGathering } from './gathering.ts';

/** A door that opens when the test says so. */
function held() {
  const batches: number[][] = [];
  const opening: (() => void)[] = [];
  const work = (batch: readonly number[]) => {
    batches.push([...batch]);
    return new Promise<void>((open) => opening.push(open));
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
  const gather = createGathering<number>({
    atOnce: 1,
    work: async (batch) => void batches.push([...batch]),
    mayJoin: (batch, one) => batch.length < 3 && !batch.includes(one),
  });
  await Promise.all([1, 1, 2, 3, 4].map(gather));
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 4],
  ]);
});

test('of a batch that failed no more are at work at once than may be, before what came meanwhile', async () => {
  const begun: number[][] = [];
  let atWork = 0;
  let most = 0;
  const gather = createGathering<number>({
    atOnce: 2,
    mayJoin: (batch) => batch.length < 8,
    async work(batch) {
      begun.push([...batch]);
      most = Math.max(most, ++atWork);
      await turn();
      atWork -= 1;
      if (batch.length === 8) throw new Error('not together');
    },
  });
  await Promise.all(Array.from({ length: 20 }, (_, one) => gather(one)));
  expect(most).toBe(2);
  expect(begun.slice(2).map(({ length }) => length)).toEqual([...new Array(16).fill(1), 4]);
});

test('whatever fails, everybody is told of their own alone, and all that could be done is done once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      async (bad, atOnce, most) => {
        const kept: number[] = [];
        const gather = createGathering<number>({
          atOnce,
          mayJoin: (batch) => batch.length < most,
          async work(batch) {
            await turn();
            if (batch.some((one) => bad[one])) throw new Error(`not ${batch.filter((one) => bad[one])}`);
            kept.push(...batch);
          },
        });
        const told = await Promise.allSettled(bad.map((_, one) => gather(one)));
        expect(told.map(({ status }) => status === 'rejected')).toEqual(bad);
        for (const [one, { reason }] of told.entries() as Iterable<[number, { reason?: Error }]>)
          if (bad[one]) expect(reason?.message).toBe(`not ${one}`);
        expect(kept.toSorted((one, other) => one - other)).toEqual(bad.flatMap((is, one) => (is ? [] : [one])));
      },
    ),
  );
});
