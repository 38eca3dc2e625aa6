import { expect, test } from '@jest/globals';
import { makeAuthority } from '@ops/test-kit/certificates';
import type { TlsSettings } from '../process/tls-settings.ts';
import { tlsChecks } from './tls.ts';

const day = 86_400_000;
const now = new Date('2030-06-01T12:00:00Z');
const authority = await makeAuthority();
const issued = async (days: number) => {
  const times = { from: new Date('2030-01-01'), until: new Date(now.getTime() + days * day) };
  const { cert, key } = await authority.issue('notifier', times);
  return { TLS_CERT: cert, TLS_KEY: key };
};
const look = async (settings: TlsSettings & Record<string, unknown>) =>
  (await Promise.all(tlsChecks(settings, now).map(({ run }) => run()))).flat();

test('where nothing of it is set there is nothing to say', async () => {
  expect(await look({ DATABASE_URL: 'postgres://a@b/c' })).toEqual([]);
});

test.each([
  [100, 'ok'],
  [13, 'warning'],
  [-1, 'failed'],
])('a certificate that ends in %i days is %s', async (days, status) => {
  const [line] = await look(await issued(days));
  const until = new Date(now.getTime() + days * day).toISOString().slice(0, 10);
  expect(line).toMatchObject({ name: 'certificate', status, said: `for DNS:notifier, until ${until}` });
});

test('a certificate that those with the same authorities will not believe is told', async () => {
  const own = await issued(100);
  expect(await look({ ...own, TLS_CA: authority.pem })).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  const { pem } = await makeAuthority('another authority');
  expect((await look({ ...own, TLS_CA: pem }))[0]).toMatchObject({
    status: 'warning',
    said: expect.stringMatching(/from none of TLS_CA$/),
  });
});

test('a key of another certificate is told', async () => {
  const [one, other] = [await issued(100), await issued(100)];
  expect(await look({ ...one, TLS_KEY: other.TLS_KEY })).toMatchObject([{ name: 'certificate', status: 'failed' }]);
});

test('whoever names an authority is told what is met without TLS, and what is not verified', async () => {
  const settings = {
    TLS_CA: authority.pem,
    DATABASE_URL: 'postgres://role:pw@postgres/ops?sslmode=require',
    AMQP_URL: 'amqp://role:pw@rabbitmq',
    COMMS_SERVICE_URL: 'https://comms-service:8080',
    NOTIFIER_URL: 'http://notifier:8080',
    SMS_BASE_URL: 'http://provider',
  };
  expect(await look(settings)).toMatchObject([
    { name: 'TLS', status: 'warning', said: expect.stringContaining('DATABASE_URL, AMQP_URL, NOTIFIER_URL leads') },
  ]);
  const secure = {
    DATABASE_URL: 'postgres://role:pw@postgres/ops?sslmode=verify-full',
    AMQP_URL: 'amqps://role:pw@rabbitmq',
    NOTIFIER_URL: 'https://notifier:8080',
  };
  expect(await look({ ...settings, ...secure })).toMatchObject([{ name: 'TLS', status: 'ok' }]);
});
