import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createGathering } from './gathering.ts';

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

test('of a batch that failed no more are at work at once than may be, before what came meanwhile', async () => {
  const begun: number[][] = [];
  let atWork = 0;
  let most = 0;
  const gather = createGathering<number, number>({
    atOnce: 2,
    mayJoin: (batch) => batch.length < 8,
    async work(batch) {
      begun.push([...batch]);
      most = Math.max(most, ++atWork);
      await turn();
      atWork -= 1;
      if (batch.length === 8) throw new Error('not together');
      return batch;
    },
  });
  await Promise.all(Array.from({ length: 20 }, (_, one) => gather(one)));
  expect(most).toBe(2);
  expect(begun.slice(2).map(({ length }) => length)).toEqual([...new Array(16).fill(1), 4]);
});

test('whatever fails, everybody is told what came of their own, and all that could be done is done once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      async (bad, atOnce, most) => {
        const kept: number[] = [];
        const gather = createGathering<number, number>({
          atOnce,
          mayJoin: (batch) => batch.length < most,
          async work(batch) {
            await turn();
            if (batch.some((one) => bad[one])) throw new Error(`not ${batch.filter((one) => bad[one])}`);
            kept.push(...batch);
            return batch.map((one) => one * 2);
          },
        });
        const told = await Promise.allSettled(bad.map((_, one) => gather(one)));
        expect(told.map(({ status }) => status === 'rejected')).toEqual(bad);
        for (const [one, outcome] of told.entries())
          if (outcome.status === 'fulfilled') expect(outcome.value).toBe(one * 2);
          else expect(outcome.reason.message).toBe(`not ${one}`);
        expect(kept.toSorted((one, other) => one - other)).toEqual(bad.flatMap((is, one) => (is ? [] : [one])));
      },
    ),
  );
});
