import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { keyPair } from '../../test/app.ts';
import { baseConfig, ConfigError, loadConfig } from './config.ts';

const { privateJwk, publicJwk } = keyPair('gateway');
const good = {
  DATABASE_URL: 'postgres://role:pa55word@127.0.0.1:5432/db',
  INTERNAL_PUBLIC_KEYS: JSON.stringify({ keys: [publicJwk] }),
};
const messageOf = (env: NodeJS.ProcessEnv, schema: z.ZodType = baseConfig): string => {
  try {
    loadConfig(schema, env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

test('what is not given has a default, what is not ours is ignored', () => {
  expect(loadConfig(baseConfig, { ...good, PATH: '/bin', npm_config_x: '1' })).toEqual({
    ...good,
    BUS_NAMESPACE: '',
    PREPARED_STATEMENTS: 'on',
    HOST: '127.0.0.1',
    PORT: 0,
    METRICS_PORT: 0,
    DRAIN_SECONDS: 0,
    LOG_LEVEL: 'info',
    OTEL_TRACES_SAMPLER_ARG: 1,
  });
});

test('an empty value counts as not given', () => {
  expect(loadConfig(baseConfig, { ...good, AMQP_URL: '', PORT: '' })).toMatchObject({ PORT: 0 });
});

test('every bad setting is named at once, with what is expected and what was given', () => {
  const message = messageOf({ DATABASE_URL: 'mysql://x', PORT: '70000', LOG_LEVEL: 'loud', BUS_NAMESPACE: 'a b' });
  expect(message).toMatch(/DATABASE_URL: expected a postgres:\/\/ address/);
  expect(message).toMatch(/PORT: expected a port .*65535, given "70000"/);
  expect(message).toMatch(/LOG_LEVEL: must be one of fatal, .*info.*, given "loud"/);
  expect(message).toMatch(/BUS_NAMESPACE: expected .*, given "a b"/);
  expect(message).toMatch(/INTERNAL_PUBLIC_KEYS: expected .*, but it is not set/);
});

test('a leave is none, or longer than connections are kept', () => {
  for (const seconds of ['0', '5', '60'])
    expect(loadConfig(baseConfig, { ...good, DRAIN_SECONDS: seconds }).DRAIN_SECONDS).toBe(Number(seconds));
  for (const seconds of ['-1', '1', '4', '4.5', '61', 'long'])
    expect(messageOf({ ...good, DRAIN_SECONDS: seconds })).toContain('DRAIN_SECONDS: ');
  expect(messageOf({ ...good, DRAIN_SECONDS: '3' })).toMatch(
    /DRAIN_SECONDS: expected 0 where nobody takes over, else from 5 to 60, given "3"$/,
  );
});

test.each([
  ['DATABASE_URL', 'http://user:hunter2@host/db'],
  ['AMQP_URL', 'hunter2'],
  ['INTERNAL_PRIVATE_KEY', '{"kty":"OKP","d":"hunter2"}'],
  ['INTERNAL_PUBLIC_KEYS', 'hunter2'],
])('what was given for %s, which may be a secret, is never shown', (name, value) => {
  const message = messageOf({ ...good, [name]: value });
  expect(message).toContain(`${name}: expected`);
  expect(message).not.toContain('hunter2');
});

test('keys must be Ed25519 with a kid; a private key is one that has its private part', () => {
  expect(loadConfig(baseConfig, { ...good, INTERNAL_PRIVATE_KEY: privateJwk }).INTERNAL_PRIVATE_KEY).toBe(privateJwk);
  const wrong = [JSON.stringify(publicJwk), JSON.stringify({ ...JSON.parse(privateJwk), crv: 'P-256' }), '[]', 'null'];
  for (const key of wrong) expect(messageOf({ ...good, INTERNAL_PRIVATE_KEY: key })).toContain('INTERNAL_PRIVATE_KEY');
  for (const keys of ['{"keys":[]}', JSON.stringify({ keys: [{ ...publicJwk, kid: undefined }] })])
    expect(messageOf({ ...good, INTERNAL_PUBLIC_KEYS: keys })).toContain('INTERNAL_PUBLIC_KEYS');
});

test('a setting may lie in a file; both at once, or a file that is not there, is refused', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kit-config-'));
  const file = join(directory, 'url');
  await writeFile(file, `${good.DATABASE_URL}\n`);
  const env = { INTERNAL_PUBLIC_KEYS: good.INTERNAL_PUBLIC_KEYS, DATABASE_URL_FILE: file };
  expect(loadConfig(baseConfig, env).DATABASE_URL).toBe(good.DATABASE_URL);
  expect(messageOf({ ...env, DATABASE_URL: good.DATABASE_URL })).toContain('not both');
  expect(messageOf({ ...env, DATABASE_URL_FILE: `${file}-gone` })).toContain(
    'DATABASE_URL_FILE: cannot be read (ENOENT)',
  );
  await rm(directory, { recursive: true });
});

test("a service's own settings stand beside the common ones", () => {
  const own = baseConfig.extend({ REFRESH_CRON: z.string().optional(), PHONE_REGION: z.string().length(2) });
  expect(loadConfig(own, { ...good, PHONE_REGION: 'CH' }).PHONE_REGION).toBe('CH');
  expect(messageOf(good, own)).toMatch(/PHONE_REGION: is required$/);
  expect(messageOf({ ...good, PHONE_REGION: 'Swiss' }, own)).toMatch(/must have exactly 2 characters, given "Swiss"$/);
});
