import { expect, test } from '@jest/globals';
import { currentTrace, newTrace } from '@ops/bus/trace';
import { answerTogether, type TogetherLimits } from './answering-together.ts';

/** Each go waits until it is let go. */
function gathered(limits: TogetherLimits) {
  const goes: { given: readonly number[]; go: () => void }[] = [];
  const ask = answerTogether(async (given: readonly number[]) => {
    const held = Promise.withResolvers<void>();
    goes.push({ given, go: held.resolve });
    await held.promise;
    return given.map((one) => ({ status: 'fulfilled' as const, value: one * 2 }));
  }, limits);
  return { ask, goes, moment: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))) };
}

test('what is asked for at the same moment is worked off together, each with its own answer', async () => {
  const { ask, goes, moment } = gathered({ most: 10 });
  const answers = Promise.all([1, 2, 3].map(ask));
  await moment();
  expect(goes.map(({ given }) => given)).toEqual([[1, 2, 3]]);
  goes[0]?.go();
  expect(await answers).toEqual([2, 4, 6]);
});

test('no more at a time than may be', async () => {
  const { ask, goes, moment } = gathered({ most: 2 });
  const answers = Promise.all([1, 2, 3, 4, 5].map(ask));
  await moment();
  expect(goes.map(({ given }) => given)).toEqual([[1, 2], [3, 4], [5]]);
  for (const { go } of goes) go();
  expect(await answers).toEqual([2, 4, 6, 8, 10]);
});

test('what comes while as many goes as may be are at work gathers until one of them is done', async () => {
  const { ask, goes, moment } = gathered({ most: 10, atOnce: 1 });
  const first = ask(1);
  await moment();
  const others = [ask(2), ask(3)];
  await moment();
  expect(goes.map(({ given }) => given)).toEqual([[1]]);
  goes[0]?.go();
  expect(await first).toBe(2);
  await moment();
  expect(goes.map(({ given }) => given)).toEqual([[1], [2, 3]]);
  goes[1]?.go();
  expect(await Promise.all(others)).toEqual([4, 6]);
});

test('one that fails costs the others nothing; where the work itself fails, all fail and the next go begins', async () => {
  const ask = answerTogether(
    async (given: readonly string[]) => {
      if (given.includes('all')) throw new Error('all of them');
      return Promise.allSettled(given.map((one) => (one === 'bad' ? Promise.reject(new Error(one)) : one)));
    },
    { most: 10, atOnce: 1 },
  );
  const outcomes = (...all: string[]) => Promise.allSettled(all.map(ask));
  expect(await outcomes('good', 'bad')).toMatchObject([{ value: 'good' }, { reason: { message: 'bad' } }]);
  expect(await outcomes('good', 'all')).toMatchObject([
    { reason: { message: 'all of them' } },
    { reason: { message: 'all of them' } },
  ]);
  expect(await ask('good')).toBe('good');
});

test('one that gets no answer fails', async () => {
  const ask = answerTogether(async (_: readonly number[]) => [], { most: 10 });
  await expect(ask(1)).rejects.toThrow('were answered');
});

test('a go carries on the trace of its first, also when it had to wait', async () => {
  const traces: unknown[] = [];
  const ask = answerTogether(
    async (given: readonly number[]) => {
      traces.push(currentTrace.getStore()?.requestId);
      return given.map((value) => ({ status: 'fulfilled' as const, value }));
    },
    { most: 1, atOnce: 1 },
  );
  await Promise.all(['a', 'b', 'c'].map((id, n) => currentTrace.run(newTrace(id), ask, n)));
  expect(traces).toEqual(['a', 'b', 'c']);
});
