import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { brokerAccounts } from '@ops/bus/rabbitmq/accounts';
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
  const before = await secret('gateway_amqp_url');
  await rm(join(directory, 'gateway_amqp_url'));
  expect(await writeSecrets(directory)).toEqual(['gateway_amqp_url']);
  expect(await secret('gateway_amqp_url')).toBe(before);
});

test('what the accounts at the broker may do is written anew when a version or a password is another', async () => {
  const path = join(directory, 'rabbitmq_definitions.json');
  const { ino } = await stat(path);
  const before = await secret('rabbitmq_definitions.json');
  await writeFile(path, before.replaceAll('communication', 'of an earlier version'));
  expect(await writeSecrets(directory)).toEqual(['rabbitmq_definitions.json']);
  expect(await secret('rabbitmq_definitions.json')).toBe(before);

  for (const name of ['notifier_amqp_password', 'notifier_amqp_url']) await rm(join(directory, name));
  const made = ['notifier_amqp_password', 'notifier_amqp_url', 'rabbitmq_definitions.json'];
  expect((await writeSecrets(directory)).toSorted()).toEqual(made);
  // A container that was given the file sees it as it was when it started, unless it is the same file still.
  expect((await stat(path)).ino).toBe(ino);
});

test.each(Object.values(schemaOf))('%s comes by the password that its role is given', async (schema) => {
  const { username, password } = new URL(await secret(`${schema}_database_url`));
  expect([username, password]).toEqual([`ops_${schema}`, await secret(`${schema}_database_password`)]);
});

test.each(brokerAccounts)('%s comes to the broker by the password that its account is given', async (account) => {
  const { username, password } = new URL(await secret(`${account}_amqp_url`));
  const { users } = JSON.parse(await secret('rabbitmq_definitions.json'));
  const user = users.find(({ name }: { name: string }) => name === username);
  const hash = Buffer.from(user.password_hash, 'base64');
  const digest = createHash('sha256').update(hash.subarray(0, 4)).update(password).digest();
  expect([username, hash.subarray(4)]).toEqual([account, digest]);
});
