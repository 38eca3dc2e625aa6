import { expect, test } from '@jest/globals';
import { rememberVerified } from './verified.ts';

function remembering() {
  const verified: string[] = [];
  const state = { now: 0, edition: 1 };
  const read = rememberVerified(
    async (token) => {
      verified.push(token);
      if (token === 'forged') throw new Error('refused');
      return { says: token, until: 1_000 };
    },
    { endOf: ({ until }) => until, edition: () => state.edition, now: () => state.now },
  );
  return { verified, state, read };
}

test('a token is verified once, each by itself', async () => {
  const { verified, read } = remembering();
  for (let turn = 0; turn < 3; turn++)
    for (const token of ['a', 'b']) expect(await read(token)).toEqual({ says: token, until: 1_000 });
  expect(verified).toEqual(['a', 'b']);
});

test('once it has ended, or the keys were read anew, it is verified again', async () => {
  const { verified, state, read } = remembering();
  await read('a');
  state.edition = 2;
  await read('a');
  state.now = 999;
  await read('a');
  expect(verified).toHaveLength(2);
  state.now = 1_000;
  await read('a');
  await read('a');
  expect(verified).toHaveLength(4);
});

test('a refusal is not remembered', async () => {
  const { verified, read } = remembering();
  for (let turn = 0; turn < 2; turn++) await expect(read('forged')).rejects.toThrow('refused');
  expect(verified).toHaveLength(2);
});

test('of tokens that never come back a bounded number is kept, the newest', async () => {
  const { verified, read } = remembering();
  for (let one = 0; one <= 5_000; one++) await read(`t${one}`);
  await read('t5000');
  expect(verified).toHaveLength(5_001);
  await read('t0');
  expect(verified).toHaveLength(5_002);
});
