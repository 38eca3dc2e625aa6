import { expect, test } from '@jest/globals';
import { createSealer } from './sealed.ts';

const first = 'a session secret of more than 32 characters';
const second = 'another session secret, 32 characters too';
const later = () => new Date(Date.now() + 60_000);

test('what was sealed is read again, for the same purpose only', async () => {
  const sealer = createSealer([first]);
  const sealed = await sealer.seal('session', { sub: 'somebody' }, later());
  expect(await sealer.open('session', sealed)).toMatchObject({ sub: 'somebody' });
  expect(await sealer.open('sign-in', sealed)).toBeUndefined();
});

test('a secret is replaced without losing what the old one sealed', async () => {
  const old = await createSealer([first]).seal('session', { sub: 'somebody' }, later());
  const during = createSealer([second, first]);
  expect(await during.open('session', old)).toMatchObject({ sub: 'somebody' });
  const renewed = await during.seal('session', { sub: 'somebody' }, later());
  const after = createSealer([second]);
  expect(await after.open('session', renewed)).toMatchObject({ sub: 'somebody' });
  expect(await after.open('session', old)).toBeUndefined();
});

test('it ends by itself', async () => {
  const sealer = createSealer([first]);
  expect(await sealer.open('session', await sealer.seal('session', {}, new Date(Date.now() - 1000)))).toBeUndefined();
});

test.each(['', 'x', 'a.b.c', 'a.b.c.d.e'])('%j opens to nothing', async (sealed) => {
  expect(await createSealer([first]).open('session', sealed)).toBeUndefined();
});
