import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { seeSettings, settingsGiven } from './configuration.ts';

const schema = z.object({
  OIDC_ISSUER: z.url({ error: 'an http:// or https:// address' }),
  SESSION_SECRET: z.string().min(32, 'at least 32 characters'),
  OPS_TIME_ZONE: z.enum(['UTC', 'Europe/Zurich']).default('UTC'),
});
const good = { OIDC_ISSUER: 'https://id.example.com', SESSION_SECRET: 's'.repeat(32) };

test('settings that are right say how many they are', () => {
  const { lines, config } = seeSettings('gateway', schema, good);
  expect(lines).toEqual([{ name: 'configuration', status: 'ok', said: '2 of 3 settings given, all readable' }]);
  expect(config).toEqual({ ...good, OPS_TIME_ZONE: 'UTC' });
});

test('all that is wrong is told at once, each with its name and what to do, and no secret', () => {
  const { lines, config } = seeSettings('gateway', schema, { SESSION_SECRET: 'hunter22', OPS_TIME_ZONE: 'Mars' });
  expect(config).toBeUndefined();
  expect(lines.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  expect(lines.map(({ said }) => said)).toEqual([
    'OIDC_ISSUER: expected an http:// or https:// address, but it is not set',
    'SESSION_SECRET: expected at least 32 characters, given something else (not shown)',
    expect.stringMatching(/^OPS_TIME_ZONE: .*given "Mars"$/),
  ]);
  expect(lines[1]).toMatchObject({
    fix: 'set SESSION_SECRET, or SESSION_SECRET_FILE to a file that holds it, for gateway',
  });
  expect(JSON.stringify(lines)).not.toContain('hunter22');
});

test('a file that cannot be read is named', () => {
  const { SESSION_SECRET: _, ...rest } = good;
  const { lines } = seeSettings('gateway', schema, { ...rest, SESSION_SECRET_FILE: '/nowhere/session_secret' });
  expect(lines).toEqual([
    {
      name: 'configuration',
      status: 'failed',
      said: 'SESSION_SECRET_FILE: cannot be read (ENOENT)',
      fix: expect.stringContaining('/nowhere/session_secret'),
    },
  ]);
});

test('a name that is nearly that of a setting is asked about; those of other processes and systems are not', () => {
  const env = {
    ...good,
    OPS_TIMEZONE: 'UTC',
    SMTP_URL: 'smtp://x',
    AMQP_URL: 'amqp://x',
    HOSTNAME: 'h',
    DATABASE_HOST: 'x',
  };
  expect(seeSettings('gateway', schema, env).lines.slice(1)).toEqual([
    {
      name: 'configuration',
      status: 'warning',
      said: 'OPS_TIMEZONE means nothing to gateway',
      fix: 'call it OPS_TIME_ZONE, or remove it',
    },
  ]);
});

test('what is given in files counts as given', () => {
  expect(settingsGiven(schema, { SESSION_SECRET_FILE: import.meta.filename }).SESSION_SECRET).toContain('hunter22');
});
