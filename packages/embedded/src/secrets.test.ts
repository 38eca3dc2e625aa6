import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadSecrets, publicKeySet } from './secrets.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ops-test-secrets-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

test('are made once, for the owner’s eyes only', async () => {
  const first = await loadSecrets(dataDir);
  expect(await loadSecrets(dataDir)).toEqual(first);
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
});

test('a data directory from before the simulated providers gets theirs, and keeps the others', async () => {
  const file = join(dataDir, 'secrets.json');
  const { providers: _, ...older } = await loadSecrets(dataDir);
  await writeFile(file, JSON.stringify(older));
  const completed = await loadSecrets(dataDir);
  expect(completed).toMatchObject(older);
  expect(Object.keys(completed.providers)).not.toHaveLength(0);
  expect(await loadSecrets(dataDir)).toEqual(completed);
});

test('every process is told public keys only', async () => {
  const { keys } = JSON.parse(publicKeySet(await loadSecrets(dataDir)));
  expect(keys).toHaveLength(5);
  for (const key of keys) expect(Object.keys(key).sort()).toEqual(['crv', 'kid', 'kty', 'x']);
});

test('a damaged file stops the start instead of being replaced', async () => {
  const file = join(dataDir, 'secrets.json');
  await chmod(file, 0o600);
  await writeFile(file, '{"postgres":');
  await expect(loadSecrets(dataDir)).rejects.toThrow('secrets.json');
});
