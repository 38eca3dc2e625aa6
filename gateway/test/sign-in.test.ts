import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { identityHeader } from '@ops/service-kit/identity';
import { decodeJwt } from 'jose';
import { createBrowser, type TestBrowser } from './browser.ts';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { prepareIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

let provider: TestIdentityProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await prepareIdentityProvider();
  gateway = await startTestGateway({ issuer: provider.issuer, env: provider.env, before: provider.start });
});
afterAll(async () => {
  await gateway.stop();
  await provider.discard();
});

interface Me {
  sub: string;
  name: string;
  role: string;
  csrf_token: string;
}
const me = async (browser: TestBrowser) => (await (await browser.send(`${gateway.url}/ops/me`)).json()) as Me;

async function signedIn(person = 'demo-staff', returnTo = '/'): Promise<TestBrowser> {
  const browser = createBrowser();
  const page = await browser.visit(`${gateway.url}/auth/login?return_to=${encodeURIComponent(returnTo)}`);
  const arrived = await browser.press(page, { person });
  expect(arrived.status).toBe(200);
  return browser;
}

function change(browser: TestBrowser, headers: Record<string, string>): Promise<Response> {
  return browser.send(`${gateway.url}/ops/customers/C-1/notes`, { method: 'POST', headers, body: '{}' });
}

test('a person picks who to be and is signed in', async () => {
  const browser = await signedIn('demo-admin');
  expect(await me(browser)).toMatchObject({ sub: 'demo-admin', name: 'Demo Admin', role: 'admin' });
});

test('what a session does is told to be done with the pages, by the name they have at the identity provider', async () => {
  const browser = await signedIn();
  await browser.send(`${gateway.url}/ops/customers/C-1`);
  const identity = gateway.services['comms-service'].seen.at(-1)?.headers[identityHeader];
  expect(decodeJwt(String(identity))).toMatchObject({ sub: 'demo-staff', client: provider.env.OIDC_CLIENT_ID });
});

test('a customer signs in by its id and is that customer only', async () => {
  const browser = await signedIn('C-1001');
  expect(await me(browser)).toMatchObject({ sub: 'C-1001', role: 'customer' });
  expect((await browser.send(`${gateway.url}/ops/customers/C-1001`)).status).toBe(403);
});

test('the session cookie is out of reach of scripts and of other sites, and tells nothing', async () => {
  const browser = await signedIn();
  const line = browser.setCookies.findLast((cookie) => cookie.startsWith('ops_session=')) ?? '';
  expect(line).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  const value = browser.cookies(gateway.url).get('ops_session') ?? '';
  expect(value.split('.')).toHaveLength(5);
  expect(Buffer.from(value.replaceAll('.', ''), 'base64url').toString()).not.toContain('demo-staff');
  expect(browser.cookies(gateway.url).has('ops_sign_in')).toBe(false);
});

test.each([
  ['cut short', (value: string) => value.slice(0, -4)],
  ['changed', (value: string) => value.replace(/(?<=^.{60})./, (one) => (one === 'A' ? 'B' : 'A'))],
  ['emptied', () => ''],
  ['made up', () => 'eyJhbGciOiJub25lIn0.e30.'],
])('a session cookie that was %s is nobody', async (_how, spoil) => {
  const browser = await signedIn();
  const value = browser.cookies(gateway.url).get('ops_session') ?? '';
  const answer = await ask(gateway.port, '/ops/me', { headers: { cookie: `ops_session=${spoil(value)}` } });
  expect(answer.status).toBe(401);
});

test('the cookie of a sign-in under way is no session', async () => {
  const browser = createBrowser();
  await browser.send(`${gateway.url}/auth/login`);
  const value = browser.cookies(gateway.url).get('ops_sign_in');
  const answer = await ask(gateway.port, '/ops/me', { headers: { cookie: `ops_session=${value}` } });
  expect(answer.status).toBe(401);
});

test('the service gets the signed identity, and neither cookie nor token', async () => {
  const browser = await signedIn();
  await browser.send(`${gateway.url}/ops/customers`);
  const seen = gateway.services['comms-service'].seen.at(-1);
  expect(seen?.headers).not.toHaveProperty('cookie');
  expect(seen?.headers).not.toHaveProperty('authorization');
  expect(seen?.headers['x-ops-identity']).toBeDefined();
});

test('a bad bearer token beside a good session is 401: nothing falls through', async () => {
  const browser = await signedIn();
  const answer = await browser.send(`${gateway.url}/ops/me`, { headers: { authorization: 'Bearer bad' } });
  expect(answer.status).toBe(401);
});

test('a change with the cookie needs the token of the session and our own page', async () => {
  const browser = await signedIn();
  const token = (await me(browser)).csrf_token;
  const ours = { origin: gateway.url, 'sec-fetch-site': 'same-origin' };
  const refused: Record<string, string>[] = [
    {},
    ours,
    { 'x-csrf-token': token },
    { ...ours, 'x-csrf-token': '' },
    { ...ours, 'x-csrf-token': `${token}x` },
    { ...ours, 'x-csrf-token': (await me(await signedIn())).csrf_token },
    { 'x-csrf-token': token, origin: 'https://elsewhere.example' },
    { 'x-csrf-token': token, origin: 'null' },
    { 'x-csrf-token': token, origin: gateway.url, 'sec-fetch-site': 'cross-site' },
    { 'x-csrf-token': token, origin: gateway.url, 'sec-fetch-site': 'same-site' },
    { 'x-csrf-token': token, origin: 'https://elsewhere.example', 'sec-fetch-site': 'same-origin' },
    { 'x-csrf-token': token, 'sec-fetch-site': 'none' },
  ];
  const before = gateway.services['comms-service'].seen.length;
  for (const headers of refused) {
    const answer = await change(browser, headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'csrf']);
  }
  expect(gateway.services['comms-service'].seen).toHaveLength(before);
  for (const proof of [ours, { origin: gateway.url }, { 'sec-fetch-site': 'same-origin' }] as Record<string, string>[])
    expect((await change(browser, { ...proof, 'x-csrf-token': token })).status).toBe(200);
});

test('a change with a bearer token needs none of it', async () => {
  const headers = bearer(await provider.token('staff'));
  expect((await ask(gateway.port, '/ops/customers/C-1/notes', { method: 'POST', headers })).status).toBe(200);
});

test('sign-in leads back to where it was asked for', async () => {
  const browser = createBrowser();
  const page = await browser.visit(`${gateway.url}/auth/login?return_to=${encodeURIComponent('/docs?a=1')}`);
  const arrived = await browser.press(page, { person: 'demo-staff' });
  expect(arrived.url).toBe(`${gateway.url}/docs?a=1`);
});

test('the way out goes by PKCE, state and nonce, each fresh', async () => {
  const leave = async () =>
    new URL((await createBrowser().send(`${gateway.url}/auth/login`)).headers.get('location') ?? '');
  const [one, two] = [await leave(), await leave()];
  expect(one.origin).toBe(provider.issuer);
  expect(Object.fromEntries(one.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'ops-gateway',
    redirect_uri: `${gateway.url}/auth/callback`,
    code_challenge_method: 'S256',
    scope: 'openid profile',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.searchParams.get(name)?.length).toBeGreaterThan(20);
    expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name));
  }
});

/** A sign-in up to the moment the provider sends the browser back. */
async function returning(person = 'demo-staff'): Promise<{ browser: TestBrowser; callback: string }> {
  const browser = createBrowser();
  const page = await browser.visit(`${gateway.url}/auth/login`);
  const action = /action="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const chosen = await browser.send(new URL(action, page.url).href, {
    method: 'POST',
    body: new URLSearchParams({ person }),
  });
  const resumed = await browser.send(new URL(chosen.headers.get('location') ?? '', provider.issuer).href);
  return { browser, callback: resumed.headers.get('location') ?? '' };
}

async function expectRefusedSignIn(browser: TestBrowser, callback: string) {
  const answer = await browser.send(callback);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toContain('text/html');
  expect(await answer.text()).toContain('Sign in again');
  expect(browser.cookies(gateway.url).has('ops_session')).toBe(false);
}

test('an answer brought by another browser signs nobody in', async () => {
  const { callback } = await returning();
  await expectRefusedSignIn(createBrowser(), callback);
  const other = createBrowser();
  await other.send(`${gateway.url}/auth/login`);
  await expectRefusedSignIn(other, callback);
});

test('an answer is taken once', async () => {
  const { browser, callback } = await returning();
  const departure = browser.cookies(gateway.url).get('ops_sign_in') ?? '';
  expect((await browser.send(callback)).status).toBe(303);
  const thief = createBrowser();
  thief.cookies(gateway.url).set('ops_sign_in', departure);
  await expectRefusedSignIn(thief, callback);
});

test.each([
  ['state', 'x'],
  ['code', 'x'],
  ['iss', 'https://elsewhere.example'],
])('an answer with another %s signs nobody in', async (name, value) => {
  const { browser, callback } = await returning();
  const spoilt = new URL(callback);
  spoilt.searchParams.set(name, value);
  await expectRefusedSignIn(browser, spoilt.href);
});

test('a refusal of the provider is told, as JSON to who is no browser', async () => {
  const browser = createBrowser();
  const way = await browser.send(`${gateway.url}/auth/login`);
  const state = new URL(way.headers.get('location') ?? '').searchParams.get('state');
  const refusal = `/auth/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
  const cookie = `ops_sign_in=${browser.cookies(gateway.url).get('ops_sign_in')}`;
  const answer = await ask(gateway.port, refusal, { headers: { cookie } });
  expect(answer).toMatchObject({ status: 400, json: { code: 'sign_in_failed' } });
});

test('sign-out needs the token, ends both sessions and leads home', async () => {
  const browser = await signedIn();
  const bare = await browser.send(`${gateway.url}/auth/logout`, { method: 'POST', headers: { origin: gateway.url } });
  expect(bare.status).toBe(403);
  expect(await me(browser)).toMatchObject({ sub: 'demo-staff' });

  const confirm = await browser.visit(`${gateway.url}/auth/logout`, {
    method: 'POST',
    headers: { origin: gateway.url },
    body: new URLSearchParams({ csrf_token: (await me(browser)).csrf_token }),
  });
  expect(new URL(confirm.url).origin).toBe(provider.issuer);
  expect((await browser.send(`${gateway.url}/ops/me`)).status).toBe(401);
  const home = await browser.press(confirm, { logout: 'yes' });
  expect(home.url).toBe(`${gateway.url}/`);
  const again = await browser.visit(`${gateway.url}/auth/login`);
  expect(await again.text()).toContain('Demo sign-in');
});

test('sign-out by a script is told where to go on', async () => {
  const browser = await signedIn();
  const answer = await browser.send(`${gateway.url}/auth/logout`, {
    method: 'POST',
    headers: { accept: 'application/json', origin: gateway.url, 'x-csrf-token': (await me(browser)).csrf_token },
  });
  const { redirect_to } = (await answer.json()) as { redirect_to: string };
  const address = new URL(redirect_to);
  expect(address.origin).toBe(provider.issuer);
  expect(address.searchParams.get('post_logout_redirect_uri')).toBe(`${gateway.url}/`);
  expect(address.searchParams.get('id_token_hint')).not.toBeNull();
  expect(browser.cookies(gateway.url).has('ops_session')).toBe(false);
});

test.each([
  ['more fields than a form has', Array.from({ length: 1500 }, () => 'a').join('&'), {}, 413],
  ['more than a form holds', 'a'.repeat(5000), {}, 413],
  ['a body that is not what it says', 'not gzip', { 'content-encoding': 'gzip' }, 415],
])('a sign-out with %s is refused, and no bug', async (_what, body, headers, status) => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  expect((await ask(gateway.port, '/auth/logout', { method: 'POST', headers: form, body })).status).toBe(status);
});

test('sign-out is no link: GET changes nothing', async () => {
  const browser = await signedIn();
  expect((await browser.send(`${gateway.url}/auth/logout`)).status).toBe(404);
  expect(await me(browser)).toMatchObject({ sub: 'demo-staff' });
});

test('while the provider session lasts, the next sign-in asks nothing', async () => {
  const browser = await signedIn('demo-admin');
  browser.cookies(gateway.url).clear();
  const arrived = await browser.visit(`${gateway.url}/auth/login`);
  expect(arrived.url).toBe(`${gateway.url}/`);
  expect(await me(browser)).toMatchObject({ sub: 'demo-admin' });
});

test('a token of the provider for a demo person passes', async () => {
  const answer = await ask(gateway.port, '/ops/me', { headers: bearer(await provider.token('customer', 'C-77')) });
  expect(answer.json).toMatchObject({ sub: 'C-77', role: 'customer', csrf_token: null });
});

test('tokens outlive a restart of the provider, and serve while it is away', async () => {
  const token = await provider.token('staff');
  await provider.stop();
  expect((await ask(gateway.port, '/ops/me', { headers: bearer(token) })).status).toBe(200);
  await provider.start(gateway.url);
  expect((await ask(gateway.port, '/ops/me', { headers: bearer(token) })).status).toBe(200);
});

test('neither log holds a token, a cookie, a code or a secret', async () => {
  const { browser, callback } = await returning();
  await browser.send(callback);
  const { csrf_token } = await me(browser);
  const log = gateway.logged.join('') + provider.output();
  const code = new URL(callback).searchParams.get('code') ?? 'missing';
  const cookie = browser.cookies(gateway.url).get('ops_session') ?? 'missing';
  for (const secret of [code, cookie, csrf_token, 'a secret of']) expect(log).not.toContain(secret);
  for (const line of provider.output().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});
