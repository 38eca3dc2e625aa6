import { expect, test } from '@jest/globals';
import { keySet, newKeyPair, signers } from '../identity/internal-keys.ts';
import type { Line } from './finding.ts';
import { internalKeysCheck } from './keys.ts';

const pairs = Object.fromEntries(signers.map((name) => [name, newKeyPair(name)]));
const publicKeys = keySet(signers.map((name) => pairs[name]?.public ?? {}));
const privateOf = (name: string) => JSON.stringify(pairs[name]?.private);

const look = async (self: 'gateway' | 'notifier', own: string, all?: string): Promise<Line | undefined> =>
  (await internalKeysCheck(self, { INTERNAL_PRIVATE_KEY: own, INTERNAL_PUBLIC_KEYS: all }).run())[0];

test('keys that belong together are well', async () => {
  expect(await look('notifier', privateOf('notifier'), publicKeys)).toMatchObject({ status: 'ok' });
  expect(await look('gateway', privateOf('gateway'))).toMatchObject({ status: 'ok', said: 'signs as gateway' });
});

test("another process's key is told by its name", async () => {
  expect(await look('notifier', privateOf('gateway'), publicKeys)).toMatchObject({
    status: 'failed',
    said: 'INTERNAL_PRIVATE_KEY is that of gateway',
    fix: 'give notifier its own: secrets/notifier_internal_private_key',
  });
});

test('a key nobody knows is told, also when it claims the public half of another', async () => {
  const fresh = newKeyPair('notifier').private;
  const belongs = { status: 'failed', said: 'INTERNAL_PRIVATE_KEY belongs to no key of INTERNAL_PUBLIC_KEYS' };
  expect(await look('notifier', JSON.stringify(fresh), publicKeys)).toMatchObject(belongs);
  const claims = { ...fresh, x: pairs.notifier?.public.x };
  await expect(look('notifier', JSON.stringify(claims), publicKeys)).resolves.toMatchObject(belongs);
});

test('who is not believed is named', async () => {
  const some = keySet(['notifier', 'comms-service'].map((name) => pairs[name]?.public ?? {}));
  expect(await look('notifier', privateOf('notifier'), some)).toMatchObject({
    status: 'failed',
    said: 'INTERNAL_PUBLIC_KEYS lacks the key of gateway, renewals-service, webhook-ingest',
  });
});
