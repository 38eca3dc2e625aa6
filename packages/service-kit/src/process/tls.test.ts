import { beforeAll, expect, test } from '@jest/globals';
import { type Authority, type Certificate, makeAuthority } from '@ops/test-kit/certificates';
import { ConfigError, loadConfig } from './config.ts';
import { believed, serverCertificate } from './tls.ts';
import { tlsSettings } from './tls-settings.ts';

let authority: Authority;
let one: Certificate;
let other: Certificate;
beforeAll(async () => {
  authority = await makeAuthority();
  [one, other] = await Promise.all([authority.issue('one'), authority.issue('other')]);
});

const load = (env: NodeJS.ProcessEnv) => serverCertificate(loadConfig(tlsSettings, env));

test('a certificate and its key are what is listened with; without both there is none', () => {
  expect(load({ TLS_CERT: one.cert + authority.pem, TLS_KEY: one.key })).toEqual({
    cert: `${one.cert.trim()}\n${authority.pem.trim()}`,
    key: one.key,
  });
  expect(load({ TLS_CA: authority.pem + other.cert })).toBeUndefined();
});

test.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
  ['no certificate', () => ({ TLS_CA: 'not-a-certificate' }), /TLS_CA: expected certificates in PEM/],
  ['a broken one', () => ({ TLS_CA: authority.pem.replace(/\n.{40}/, '\n') }), /TLS_CA: expected certificates/],
  ['a key in its place', () => ({ TLS_CERT: one.key, TLS_KEY: one.key }), /TLS_CERT: expected certificates/],
  ['no key', () => ({ TLS_CERT: one.cert, TLS_KEY: one.cert }), /TLS_KEY: expected a private key in PEM/],
  ['the key of another', () => ({ TLS_CERT: one.cert, TLS_KEY: other.key }), /TLS_KEY: is not the key of/],
  ['a key alone', () => ({ TLS_KEY: one.key }), /TLS_CERT: expected beside TLS_KEY/],
  ['a certificate alone', () => ({ TLS_CERT: one.cert }), /TLS_KEY: expected beside TLS_CERT/],
])('refused before anything starts: %s', (_, env, said) => {
  expect(() => load(env())).toThrow(ConfigError);
  expect(() => load(env())).toThrow(said);
  expect(() => load(env())).not.toThrow(/BEGIN PRIVATE KEY-----\n/);
});

test('what is no matter of certificates goes on as it was', async () => {
  const away = Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });
  await expect(believed('AMQP_URL', Promise.reject(away))).rejects.toBe(away);
});
