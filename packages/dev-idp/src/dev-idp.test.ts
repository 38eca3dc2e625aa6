import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { roles } from '@ops/contracts/roles';
import { createLogger } from '@ops/service-kit/logger';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { type DevIdp, startDevIdp } from './compose.ts';
import { config } from './config.ts';

const secret = 'a secret of the token client';
const logger = createLogger('dev-idp', 'silent');
let dataDir: string;
let issuer: string;
let idp: DevIdp;
const printed: unknown[] = [];

beforeAll(async () => {
  for (const method of ['info', 'warn', 'log', 'error'] as const)
    jest.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
  issuer = `http://127.0.0.1:${await freePort()}`;
});
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'dev-idp-'));
  idp = await start();
});
afterEach(async () => {
  await idp.stop();
  await rm(dataDir, { recursive: true });
});
afterAll(() => void jest.restoreAllMocks());

const start = () =>
  startDevIdp(
    config.parse({
      PORT: new URL(issuer).port,
      ISSUER: issuer,
      DATA_DIR: path.join(dataDir, 'kept', 'here'),
      GATEWAY_URL: 'http://gateway.example',
      CLIENT_ID: 'gateway',
      CLIENT_SECRET: 'a secret of the gateway',
      TOKEN_CLIENT_ID: 'token',
      TOKEN_CLIENT_SECRET: secret,
      SCHEDULER_CLIENT_ID: 'scheduler',
      SCHEDULER_CLIENT_SECRET: 'a secret of the scheduler',
    }),
    logger,
  );

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function grant(fields: Record<string, string>, id = 'token', password = secret) {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'urn:ops:grant:demo-person', ...fields }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

test.each(roles)('a token for the role %s verifies against the published keys', async (role) => {
  const { body } = await grant({ role, sub: 'C-1001' });
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const { payload, protectedHeader } = await jwtVerify(body.access_token ?? '', keys, { issuer, audience: 'ops-api' });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
  expect(payload).toMatchObject({ sub: 'C-1001', roles: [role] });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(8 * 3600);
});

test('without a name a role has its demo person; a customer has to be named', async () => {
  expect(decodeJwt((await grant({ role: 'staff' })).body.access_token ?? '')).toMatchObject({
    sub: 'demo-staff',
    name: 'Demo Staff',
  });
  expect((await grant({ role: 'customer' })).status).toBe(400);
  expect((await grant({ role: 'customer', sub: 'not an id' })).status).toBe(400);
  expect((await grant({ role: 'superuser' })).status).toBe(400);
  expect((await grant({})).status).toBe(400);
});

test('only the token client gets such tokens, and only with its secret', async () => {
  expect((await grant({ role: 'admin' }, 'gateway', 'a secret of the gateway')).status).toBe(400);
  expect((await grant({ role: 'admin' }, 'token', 'wrong')).status).toBe(401);
  expect((await grant({ role: 'admin' }, 'nobody', secret)).status).toBe(401);
});

test('the scheduler asks in its own name, and for its own role alone', async () => {
  const own = { grant_type: 'client_credentials' };
  const { body } = await grant(own, 'scheduler', 'a secret of the scheduler');
  expect(decodeJwt(body.access_token ?? '')).toMatchObject({ sub: 'scheduler', aud: 'ops-api', roles: ['scheduler'] });
  expect((await grant(own, 'token')).status).toBe(400);
  expect((await grant({ role: 'admin' }, 'scheduler', 'a secret of the scheduler')).status).toBe(400);
  expect((await grant(own, 'scheduler', 'wrong')).status).toBe(401);
});

test('the signing key survives a restart, readable by its owner alone', async () => {
  const kid = async () => decodeProtectedHeader((await grant({ role: 'staff' })).body.access_token ?? '').kid;
  const before = await kid();
  await idp.stop();
  idp = await start();
  expect(await kid()).toBe(before);
  const file = path.join(dataDir, 'kept', 'here', 'provider-keys.json');
  expect((await stat(file)).mode & 0o077).toBe(0);
  const published = await (await fetch(`${issuer}/jwks`)).text();
  const { signing } = JSON.parse(await readFile(file, 'utf8'));
  expect(published).toContain(signing.n);
  expect(published).not.toContain(signing.d);
});

test('pages are free of scripts and of anything from elsewhere', async () => {
  const address = new URL(`${issuer}/auth`);
  address.search = new URLSearchParams({
    client_id: 'gateway',
    response_type: 'code',
    scope: 'openid profile',
    redirect_uri: 'http://gateway.example/auth/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const begun = await fetch(address, { redirect: 'manual' });
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const page = await fetch(new URL(begun.headers.get('location') ?? '', issuer), { headers: { cookie } });
  const html = await page.text();
  for (const role of ['Admin', 'Staff', 'Automation', 'Scheduler']) expect(html).toContain(`Demo ${role}`);
  expect(html).not.toMatch(/<script|https?:|\/\//);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://gateway.example;");
});

test.each([
  ['another place to return to', { redirect_uri: 'http://elsewhere.example/' }],
  ['no PKCE', { code_challenge: '' }],
  ['another client', { client_id: 'elsewhere' }],
])('%s is refused', async (_what, changed) => {
  const fields = {
    client_id: 'gateway',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: 'http://gateway.example/auth/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...changed,
  };
  const answer = await fetch(`${issuer}/auth?${new URLSearchParams(fields)}`, { redirect: 'manual' });
  const back = answer.headers.get('location');
  expect(back === null ? answer.status : new URL(back).searchParams.get('error')).toBe(
    back === null ? 400 : 'invalid_request',
  );
});

test('an expired sign-in says so', async () => {
  const answer = await fetch(`${issuer}/interaction/long-gone`);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('has expired');
});

test('the library had nothing to warn of', () => {
  expect(printed).toEqual([]);
});
