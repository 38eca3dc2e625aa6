import { expect, test } from '@jest/globals';
import { oneAtATime } from './one-at-a-time.ts';

function held() {
  const runs: { finish(value: string): void; fail(error: Error): void }[] = [];
  const ask = oneAtATime((_: number) => new Promise<string>((finish, fail) => runs.push({ finish, fail })));
  return { runs, ask };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('those who ask while it runs share the one run after it', async () => {
  const { runs, ask } = held();
  const first = ask(1);
  await turn();
  const [second, third] = [ask(2), ask(3)];
  await turn();
  expect(runs).toHaveLength(1);
  runs[0]?.finish('before');
  expect(await first).toBe('before');
  await turn();
  expect(runs).toHaveLength(2);
  runs[1]?.finish('after');
  expect(await Promise.all([second, third])).toEqual(['after', 'after']);
});

test('one that failed is told to who asked for it, and holds nobody up', async () => {
  const { runs, ask } = held();
  const first = ask(1);
  await turn();
  const second = ask(2);
  runs[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  runs[1]?.finish('there');
  expect(await second).toBe('there');
});

test('only those who ask the same share a run, and still one runs after the other', async () => {
  const finish: ((value: string) => void)[] = [];
  const ask = oneAtATime(
    (of: string) => new Promise<string>((done) => finish.push((value) => done(`${value} of ${of}`))),
    (of) => of,
  );
  const first = ask('a');
  await turn();
  const [again, other] = [ask('a'), ask('b')];
  finish[0]?.('1');
  expect(await first).toBe('1 of a');
  await turn();
  expect(finish).toHaveLength(2);
  finish[1]?.('2');
  await turn();
  finish[2]?.('3');
  expect(await Promise.all([again, other])).toEqual(['2 of a', '3 of b']);
});
