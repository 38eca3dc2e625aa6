import { expect, test } from '@jest/globals';
import { readSettings } from './settings.ts';

test('nothing given means the embedded parts on port 8080, with demo data', () => {
  const { dataDir, ...settings } = readSettings({ DATABASE_URL: '' });
  const none = { databaseUrl: undefined, amqpUrl: undefined, busNamespace: '', authority: undefined };
  expect(settings).toEqual({ port: 8080, seed: 'demo', ...none });
  expect(dataDir).toMatch(/\/\.ops$/);
});

test.each([
  [{ PORT: 'http' }, 'PORT: expected a port'],
  [{ OPS_SEED: 'lots' }, 'OPS_SEED: expected demo or none'],
  [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL: expected a postgres:// address'],
  [{ AMQP_URL: 'localhost:5672' }, 'AMQP_URL: expected an amqp:// or amqps:// address'],
  [{ BUS_NAMESPACE: 'a.b' }, 'BUS_NAMESPACE: expected up to 60 letters, digits, _ or -'],
])('%p is refused by name', (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
});
