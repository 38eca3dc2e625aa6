import { expect, test } from '@jest/globals';
import { readSettings } from './settings.ts';

test('nothing given means the embedded parts on port 8080, with demo data', () => {
  const { dataDir, ...settings } = readSettings({ DATABASE_URL: '' });
  expect(settings).toEqual({ port: 8080, seed: 'demo', databaseUrl: undefined, amqpUrl: undefined });
  expect(dataDir).toMatch(/\/\.ops$/);
});

test.each([
  [{ PORT: 'http' }, 'PORT: expected a port'],
  [{ OPS_SEED: 'lots' }, 'OPS_SEED: expected demo or none'],
  [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL: expected a postgres:// address'],
  [{ AMQP_URL: 'localhost:5672' }, 'AMQP_URL: expected an amqp:// or amqps:// address'],
])('%p is refused by name', (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
});
