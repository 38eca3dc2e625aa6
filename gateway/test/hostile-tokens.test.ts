import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportSPKI, importJWK } from 'jose';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { makeKey, startTestIssuer, type TestIssuer, type TestKey } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let elsewhere: TestIssuer;

beforeAll(async () => {
  issuer = await startTestIssuer();
  elsewhere = await startTestIssuer();
  issuer.keys.push(await makeKey('ES256', 'second'), await makeKey('EdDSA', 'third'), await makeKey('PS256', 'fourth'));
  gateway = await startTestGateway({ issuer: issuer.url });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([issuer.down(), elsewhere.down()]);
});

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const claims = () => ({
  iss: issuer.url,
  aud: 'ops-api',
  sub: 'somebody',
  roles: ['admin'],
  iat: now(),
  exp: now() + 600,
});
const unsigned = (header: unknown, payload: unknown = claims()) => `${part(header)}.${part(payload)}.`;

function hmacSigned(header: Record<string, unknown>, secret: string | Buffer): string {
  const content = `${part(header)}.${part(claims())}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

async function publicPem(): Promise<string> {
  const { publicJwk } = issuer.keys[0] as TestKey;
  return exportSPKI((await importJWK(publicJwk, 'RS256', { extractable: true })) as never);
}

async function ownKeyToken(member: 'jwk' | 'jku' | 'x5u' | 'x5c') {
  const own = await makeKey('RS256', 'own');
  const value = { jwk: own.publicJwk, jku: `${elsewhere.url}/jwks`, x5u: `${elsewhere.url}/cert`, x5c: ['AAAA'] }[
    member
  ];
  return issuer.token({}, { [member]: value }, own);
}

const hostile: Record<string, () => string | Promise<string>> = {
  'is not a JWT': () => 'abc',
  'has empty parts': () => '..',
  'has alg none': () => unsigned({ alg: 'none', typ: 'at+jwt' }),
  'has alg None': () => unsigned({ alg: 'None' }),
  'has alg NONE': () => unsigned({ alg: 'NONE' }),
  'has alg nOnE': () => unsigned({ alg: 'nOnE' }),
  'has an empty alg': () => unsigned({ alg: '' }),
  'has no alg at all': () => unsigned({}),
  'has alg none and names a key': () => unsigned({ alg: 'none', kid: 'first' }),
  'had its signature taken off': async () => `${(await issuer.token()).split('.').slice(0, 2).join('.')}.`,
  'was changed after signing': async () => {
    const [header, , signature] = (await issuer.token()).split('.');
    return `${header}.${part({ ...claims(), roles: ['admin'] })}.${signature}`;
  },
  'is signed by HS256 with the public key in PEM': async () =>
    hmacSigned({ alg: 'HS256', kid: 'first' }, await publicPem()),
  'is signed by HS256 with the public key as JSON': () =>
    hmacSigned({ alg: 'HS256', kid: 'first' }, JSON.stringify(issuer.keys[0]?.publicJwk)),
  'is signed by HS256 with the modulus': () =>
    hmacSigned({ alg: 'HS256', kid: 'first' }, Buffer.from(issuer.keys[0]?.publicJwk.n ?? '', 'base64url')),
  'is signed by HS256 with nothing': () => hmacSigned({ alg: 'HS256', kid: 'first' }, ''),
  'was issued before the last day, for ten years': () =>
    issuer.token({ iat: now() - 25 * 3600, exp: now() + 3650 * 86_400 }),
  'does not say when it was issued': () => issuer.token({ iat: undefined } as never),
  'is for another audience': () => issuer.token({ aud: 'another-api' }),
  'is for no audience': () => issuer.token({ aud: undefined } as never),
  'is from another issuer': () => issuer.token({ iss: 'https://elsewhere.example' }),
  'is from an issuer with a slash more': () => issuer.token({ iss: `${issuer.url}/` }),
  'names no issuer': () => issuer.token({ iss: undefined } as never),
  'is a good token of another provider': () => elsewhere.token(),
  'has expired': () => issuer.token({ exp: now() - 60 }),
  'expired longer ago than clocks may differ': () => issuer.token({ exp: now() - 31 }),
  'is not valid yet': () => issuer.token({ nbf: now() + 60 }),
  'never expires': () => issuer.token({ exp: undefined } as never),
  'expires at a word': () => issuer.token({ exp: 'tomorrow' } as never),
  'names nobody': () => issuer.token({ sub: undefined } as never),
  'names an empty somebody': () => issuer.token({ sub: '' }),
  'names a NUL': () => issuer.token({ sub: 'some\u0000body' }),
  'names a number': () => issuer.token({ sub: 7 } as never),
  'is signed by a key nobody published': async () => issuer.token({}, {}, await makeKey('RS256', 'unpublished')),
  'is signed by another key under a published name': async () => issuer.token({}, {}, await makeKey('RS256', 'first')),
  'names a key of another algorithm': () => issuer.token({}, { kid: 'second' }),
  'has an unknown critical header': () => issuer.token({}, { crit: ['urn:unknown'], 'urn:unknown': true }),
  'brings its own key (jwk)': () => ownKeyToken('jwk'),
  'says where its own key is (jku)': () => ownKeyToken('jku'),
  'says where its own certificate is (x5u)': () => ownKeyToken('x5u'),
  'brings its own certificate (x5c)': () => ownKeyToken('x5c'),
  'is well signed and brings a key all the same': () => issuer.token({}, { jwk: issuer.keys[0]?.publicJwk }),
  'is well signed and names a place for keys all the same': () => issuer.token({}, { jku: `${issuer.url}/jwks` }),
  'is an ID token': () => issuer.token({ aud: 'ops-gateway', nonce: 'n' }, { typ: 'JWT' }),
  'is an ID token that names our audience too': () => issuer.token({ aud: ['ops-gateway', 'ops-api'] }, { typ: 'JWT' }),
  'carries a nonce and no access token type': () => issuer.token({ nonce: 'n' }, { typ: 'JWT' }),
  'says that it is an ID token': () => issuer.token({ typ: 'ID' }, { typ: 'JWT' }),
  'is a logout token': () => issuer.token({}, { typ: 'logout+jwt' }),
};

test.each(Object.keys(hostile))('a token that %s gets 401 and reaches no service', async (name) => {
  const token = await hostile[name]?.();
  const answer = await ask(gateway.port, '/ops/customers', { headers: bearer(token ?? '') });
  expect(answer.status).toBe(401);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.json).toMatchObject({ status: 401, code: 'unauthorised', request_id: answer.headers['x-request-id'] });
  expect(gateway.services['comms-service'].seen).toHaveLength(0);
});

test('nobody was asked for the keys that hostile tokens point to', () => {
  expect(elsewhere.asked).toEqual({});
});

test.each(['Basic c29tZWJvZHk6c2VjcmV0', 'Bearer', 'Bearer ', 'bearer a b', 'Token x', ''])(
  'Authorization %j gets 401',
  async (authorization) => {
    expect((await ask(gateway.port, '/ops/customers', { headers: { authorization } })).status).toBe(401);
  },
);

test.each([0, 1, 2, 3])('a good token of published key %i passes', async (index) => {
  const token = await issuer.token({}, {}, issuer.keys[index] as TestKey);
  expect((await ask(gateway.port, '/ops/me', { headers: bearer(token) })).status).toBe(200);
});

test.each(['at+jwt', 'application/at+jwt', 'JWT'])('a good token of type %s passes', async (typ) => {
  expect((await ask(gateway.port, '/ops/me', { headers: bearer(await issuer.token({}, { typ })) })).status).toBe(200);
});

test('a token that expired a moment ago passes: clocks differ', async () => {
  const token = await issuer.token({ exp: now() - 2 });
  expect((await ask(gateway.port, '/ops/me', { headers: bearer(token) })).status).toBe(200);
});

test('a token that says it lives for ten years is believed for a day', async () => {
  const iat = now() - 3_600;
  const token = await issuer.token({ iat, exp: iat + 3650 * 86_400 });
  const { status, text } = await ask(gateway.port, '/ops/me', { headers: bearer(token) });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ expires_at: new Date((iat + 86_400) * 1_000).toISOString() });
});

test('no token ever reaches the log', async () => {
  const token = await issuer.token();
  await ask(gateway.port, '/ops/customers', { headers: bearer(token) });
  const log = gateway.logged.join('');
  for (const piece of token.split('.')) expect(log).not.toContain(piece);
});
