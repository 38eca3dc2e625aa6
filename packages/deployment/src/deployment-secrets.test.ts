import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOf } from '@ops/service-kit/provision';
import { writeSecrets } from './deployment-secrets.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-secrets-'));
  await writeSecrets(directory);
});
afterAll(() => rm(directory, { recursive: true }));

const secret = async (name: string) => (await readFile(join(directory, name), 'utf8')).trimEnd();

test('the folder is its owner’s alone; made again, what is there stays', async () => {
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect(await writeSecrets(directory)).toEqual([]);
  const before = await secret('amqp_url');
  await rm(join(directory, 'amqp_url'));
  expect(await writeSecrets(directory)).toEqual(['amqp_url']);
  expect(await secret('amqp_url')).toBe(before);
});

test.each(Object.values(schemaOf))('%s comes by the password that its role is given', async (schema) => {
  const { username, password } = new URL(await secret(`${schema}_database_url`));
  expect([username, password]).toEqual([`ops_${schema}`, await secret(`${schema}_database_password`)]);
});
