import { setImmediate as others } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPace } from './pace.ts';

test('of many pieces so many go on at once, in their order, and something else has its turn in between', async () => {
  const pace = createPace(32);
  const gone: number[] = [];
  for (let piece = 0; piece < 100; piece++) pace(() => gone.push(piece));
  expect(gone).toEqual([]);
  const seen: number[] = [];
  while (gone.length < 100) {
    await others();
    seen.push(gone.length);
  }
  expect(seen).toEqual([32, 64, 96, 100]);
  expect(gone).toEqual(gone.toSorted((one, other) => one - other));
});

test('a piece that follows from another waits for its own turn', async () => {
  const pace = createPace(2);
  const gone: string[] = [];
  const again = (name: string) => () => {
    gone.push(name);
    if (gone.length < 6) pace(again(name));
  };
  pace(again('one'));
  pace(again('other'));
  await others();
  expect(gone).toEqual(['one', 'other']);
  while (gone.length < 6) await others();
  expect(gone).toEqual(['one', 'other', 'one', 'other', 'one', 'other']);
});

test('after all went on it begins anew', async () => {
  const pace = createPace(1);
  for (const _ of [1, 2]) await new Promise<void>((resolve) => pace(resolve));
});
