import { setImmediate as others } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPace } from './pace.ts';

/** How many went on at each look at everything else, until all have. */
async function looks(gone: unknown[], all: number): Promise<number[]> {
  const seen: number[] = [];
  while (gone.length < all) {
    const before = gone.length;
    await others();
    seen.push(gone.length - before);
  }
  return seen;
}

test('of many pieces so many go on at once, in their order, and something else has its turn in between', async () => {
  const pace = createPace(32);
  const gone: number[] = [];
  for (let piece = 0; piece < 100; piece++) pace(() => gone.push(piece));
  expect(gone).toEqual([]);
  expect(await looks(gone, 100)).toEqual([32, 32, 32, 4]);
  expect(gone).toEqual(gone.toSorted((one, other) => one - other));
});

test('bodies whose next piece is at hand go on no faster, and take turns', async () => {
  const pace = createPace(8);
  const gone: number[] = [];
  const piecesOf = (body: number, left: number) => () => {
    gone.push(body);
    if (left > 1) pace(piecesOf(body, left - 1));
  };
  for (let body = 0; body < 20; body++) pace(piecesOf(body, 20));
  const seen = await looks(gone, 400);
  expect(Math.max(...seen)).toBe(8);
  expect(seen).toHaveLength(50);
  expect(new Set(gone.slice(0, 20)).size).toBe(20);
});

test('after all went on it begins anew', async () => {
  const pace = createPace(1);
  for (const _ of [1, 2]) await new Promise<void>((resolve) => pace(resolve));
});
