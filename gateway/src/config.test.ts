import { expect, test } from '@jest/globals';
import { loadConfig } from '@ops/service-kit/config';
import { gatewayConfig } from './config.ts';

const good = {
  DATABASE_URL: 'postgres://gateway@postgres/ops',
  COMMS_SERVICE_URL: 'http://comms',
  RENEWALS_SERVICE_URL: 'http://renewals',
  WEBHOOK_INGEST_URL: 'http://ingest',
  NOTIFIER_URL: 'http://notifier',
  OIDC_ISSUER: 'https://provider.example',
  OIDC_CLIENT_ID: 'gateway',
  OIDC_CLIENT_SECRET: 'secret',
  SESSION_SECRET: 'a session secret of more than 32 characters',
  INTERNAL_PRIVATE_KEY: '{"kty":"OKP","crv":"Ed25519","kid":"gateway","x":"x","d":"d"}',
  PUBLIC_URL: 'https://ops.example',
};

test('what is left out has its default', () => {
  expect(loadConfig(gatewayConfig, good)).toMatchObject({
    OIDC_AUDIENCE: 'ops-api',
    OIDC_ROLE_CLAIM: 'roles',
    RATE_LIMIT_PER_MINUTE: 600,
    RATE_LIMIT_AUTOMATION_PER_MINUTE: 6_000,
    DOCS_FOR: 'everyone',
    PROXY_TIMEOUT_MS: 30_000,
    TRUSTED_PROXIES: 0,
    SESSION_SECRET: [good.SESSION_SECRET],
    SESSION_HOURS: 12,
    SESSION_IDLE_MINUTES: 120,
    RECENT_SIGN_IN_MINUTES: 30,
  });
});

test('two secrets during rotation', () => {
  const both = loadConfig(gatewayConfig, { ...good, SESSION_SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}` });
  expect(both.SESSION_SECRET).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
});

test.each([
  ['SESSION_SECRET', 'short', 'at least 32 characters'],
  ['SESSION_SECRET', `${'a'.repeat(32)},short`, 'at least 32 characters'],
  ['OIDC_ISSUER', 'ftp://provider', 'an http:// or https:// address'],
  ['OIDC_AUDIENCE', 'gateway', 'ID tokens would pass'],
  ['OIDC_SCOPE', 'profile', 'openid among them'],
  ['DATABASE_URL', '', 'a postgres:// address'],
  ['INTERNAL_PRIVATE_KEY', '{}', 'an Ed25519 private JSON Web Key'],
  ['PUBLIC_URL', '', 'PUBLIC_URL'],
])('%s=%s stops the start and says what is expected', (name, value, expected) => {
  expect(() => loadConfig(gatewayConfig, { ...good, [name]: value })).toThrow(expected);
});
