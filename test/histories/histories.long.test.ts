import { expect, test } from '@jest/globals';
import { liveAll } from './live.ts';

/** More, or others, by hand: `HISTORIES=200000 HISTORIES_SEED=7`. */
const many = Number(process.env.HISTORIES ?? 10_000);
const seed = Number(process.env.HISTORIES_SEED ?? 1);

test(`in ${many} histories nobody falls through, with seed ${seed}`, () => {
  const { evenings, messages } = liveAll(many, seed);
  console.log(`seed ${seed}, evenings: ${JSON.stringify(evenings)}, messages: ${JSON.stringify(messages)}`);
  expect(evenings.reached).toBeGreaterThan(many);
}, 1_800_000);
