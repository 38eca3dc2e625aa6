import { setImmediate as immediately, setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createGivingWay, untilThereIsRoom } from './giving-way.ts';

test('one goes after the other, each is answered at once, and what fails fails nobody else', async () => {
  const givingWay = createGivingWay(() => true);
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const work = (name: string, answer: () => Promise<string>) =>
    givingWay(() => {
      begun.push(name);
      return answer();
    });
  const answers = [
    work('first', () => first.promise),
    work('second', () => Promise.reject(new Error('no'))),
    work('third', async () => 'third'),
  ];
  expect(begun).toEqual(['first']);
  first.resolve('first');
  expect(await answers[0]).toBe('first');
  expect(begun).toEqual(['first']);
  expect(await Promise.allSettled(answers)).toEqual([
    { status: 'fulfilled', value: 'first' },
    { status: 'rejected', reason: new Error('no') },
    { status: 'fulfilled', value: 'third' },
  ]);
  expect(begun).toEqual(['first', 'second', 'third']);
});

test.each([
  ['three times as long as it took', { took: 40, least: 100 }],
  ['in which others can come together, however little it took', { took: 0, least: 100 }],
  ['also where nothing comes together', { took: 40, least: 0 }],
])('after each there is a rest %s', async (_, { took, least }) => {
  const givingWay = createGivingWay(() => true, { alone: least === 0 });
  const began = performance.now();
  const [ended, next] = await Promise.all([
    givingWay(async () => {
      await pause(took);
      return performance.now();
    }),
    givingWay(async () => performance.now()),
  ]);
  // Timers keep to whole milliseconds.
  expect(next - ended).toBeGreaterThanOrEqual(Math.max(Math.min(3 * (ended - began), 500), least) - 3);
});

test('who waits for long holds nobody up', async () => {
  const givingWay = createGivingWay(() => false);
  const waits = givingWay(() => new Promise(() => undefined));
  expect(await Promise.race([waits, givingWay(async () => 'the next')])).toBe('the next');
});

test('where nobody is served the next follows at once', async () => {
  const givingWay = createGivingWay(() => false);
  let isNextBegun = false;
  const first = givingWay(() => pause(30));
  const next = givingWay(async () => {
    isNextBegun = true;
  });
  await first;
  await immediately();
  expect(isNextBegun).toBe(true);
  await next;
});

test.each([
  ['as soon as the machine has room', [0, 0.39, 0.4, 0], 3],
  ['at once where it has', [1, 0], 1],
  ['also when it never has any', Array<number>(30).fill(0), 10],
])('the next begins %s', async (_, shares, looks) => {
  const left = [...shares];
  await untilThereIsRoom(() => left.shift() ?? 1, 1);
  expect(shares.length - left.length).toBe(looks);
});
