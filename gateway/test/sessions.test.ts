import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SignIn } from '@ops/contracts/resources/sign-in';
import { type Db, execute, oneRow, openDatabase } from '@ops/service-kit/database';
import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { migrations } from '../src/migrations.ts';
import { createSealer } from '../src/sign-in/sealed.ts';
import { tidySessions } from '../src/sign-in/session-store.ts';
import { createBrowser, type TestBrowser } from './browser.ts';
import { ask, startTestGateway, type TestGateway } from './gateway.ts';
import { prepareIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

let provider: TestIdentityProvider;
let database: TestDatabase;
let db: Db;
/** Two of one system: they have the database and the secret in common. */
let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  provider = await prepareIdentityProvider();
  database = await createServiceDatabase('gateway', migrations);
  db = openDatabase(database.urls.gateway, { applicationName: 'test' });
  const same = { issuer: provider.issuer, env: provider.env, database };
  gateway = await startTestGateway({ ...same, before: provider.start });
  other = await startTestGateway(same);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), other.stop()]);
  await db.destroy();
  await database.drop();
  await provider.discard();
});

async function signedIn(person: string): Promise<TestBrowser> {
  const browser = createBrowser();
  await browser.press(await browser.visit(`${gateway.url}/auth/login`), { person });
  return browser;
}

const cookieOf = (browser: TestBrowser) => ({
  cookie: `ops_session=${browser.cookies(gateway.url).get('ops_session')}`,
});

async function change(browser: TestBrowser, path: string): Promise<Response> {
  const { csrf_token } = (await (await browser.send(`${gateway.url}/ops/me`)).json()) as { csrf_token: string };
  const headers = { origin: gateway.url, 'x-csrf-token': csrf_token, accept: 'application/json' };
  return browser.send(gateway.url + path, { method: 'POST', headers });
}

const statusAt = async ({ port }: TestGateway, headers: Record<string, string>) =>
  (await ask(port, '/ops/me', { headers })).status;

/** Resolves when the gateway has ended the stream. */
async function listenTo({ port }: TestGateway, headers: Record<string, string>): Promise<{ ended: Promise<unknown> }> {
  const request = httpRequest({ port, path: '/ops/stream', headers }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
  return { ended: once(response, 'end') };
}

async function signInsOf(browser: TestBrowser): Promise<SignIn[]> {
  const answer = await browser.send(`${gateway.url}/ops/me/sessions`, { headers: { 'user-agent': 'a demo browser' } });
  return ((await answer.json()) as { data: SignIn[] }).data;
}

test('sign-out ends a copy of the cookie and the open streams, at every gateway', async () => {
  const browser = await signedIn('demo-staff');
  const copy = cookieOf(browser);
  const streams = [await listenTo(gateway, copy), await listenTo(other, copy)];
  expect([await statusAt(gateway, copy), await statusAt(other, copy)]).toEqual([200, 200]);
  await change(browser, '/auth/logout');
  expect(await statusAt(gateway, copy)).toBe(401);
  await Promise.all(streams.map(({ ended }) => ended));
  expect(await statusAt(other, copy)).toBe(401);
});

test('a person sees where they are signed in, and ends one of it, or all others', async () => {
  const [here, there, elsewhere] = [
    await signedIn('demo-admin'),
    await signedIn('demo-admin'),
    await signedIn('demo-admin'),
  ];
  const found = await signInsOf(here);
  expect(found).toHaveLength(3);
  expect(found.filter(({ current }) => current)).toHaveLength(1);
  expect(found[0]).toMatchObject({ address: expect.stringMatching(/127\.0\.0\.1|::1/), browser: expect.any(String) });
  const [theirs] = (await signInsOf(there)).filter(({ current }) => current);
  const ended = await change(here, `/ops/me/sessions/${theirs?.id}/end`);
  expect(await ended.json()).toEqual({ ended: 1 });
  expect(await (await change(here, `/ops/me/sessions/${theirs?.id}/end`)).json()).toEqual({ ended: 0 });
  expect(await statusAt(gateway, cookieOf(there))).toBe(401);
  expect(await (await change(here, '/ops/me/sessions/end-others')).json()).toEqual({ ended: 1 });
  expect(await statusAt(gateway, cookieOf(elsewhere))).toBe(401);
  expect((await signInsOf(here)).map(({ current }) => current)).toEqual([true]);
});

test('nobody ends what is another’s, not even a customer who is called like a person of the firm', async () => {
  const [admin, customer] = [await signedIn('demo-admin'), await signedIn('C-1001')];
  const [theirs] = (await signInsOf(admin)).filter(({ current }) => current);
  await execute(db, "UPDATE sessions SET sub = 'C-1001' WHERE id = :id", { id: theirs?.id ?? '' });
  expect((await change(customer, `/ops/me/sessions/${theirs?.id}/end`)).status).toBe(404);
  await change(customer, '/ops/me/sessions/end-others');
  expect(await statusAt(gateway, cookieOf(admin))).toBe(200);
  expect((await change(customer, `/ops/me/sessions/${uuidv7()}/end`)).status).toBe(404);
});

const sealer = createSealer(['a session secret of more than 32 characters']);

/** As it would be after a while: nothing of it is remembered by any gateway. */
async function sessionOf(person: string, { usedMinutesAgo = 0, signedInMinutesAgo = 0, role = 'admin' } = {}) {
  const id = uuidv7();
  await execute(
    db,
    `INSERT INTO sessions (id, sub, role, used_at, ends_at, browser, address)
     VALUES (:id, :person, :role, now() - make_interval(mins => :usedMinutesAgo), now() + interval '1 hour', 'demo', '')`,
    { id, person, role, usedMinutesAgo },
  );
  const facts = {
    sid: id,
    sub: person,
    role,
    csrf: 'a token of more than twenty characters',
    auth_time: Math.floor(Date.now() / 1000) - signedInMinutesAgo * 60,
  };
  const sealed = await sealer.seal('session', facts, new Date(Date.now() + 3_600_000));
  const headers = { cookie: `ops_session=${sealed}`, origin: gateway.url, 'x-csrf-token': facts.csrf };
  const idleMinutes = async () => {
    const { minutes } = await oneRow<{ minutes: number }>(
      db,
      'SELECT CAST(round(extract(epoch FROM now() - used_at) / 60) AS int) AS minutes FROM sessions WHERE id = :id',
      { id },
    );
    return minutes;
  };
  return { id, headers, idleMinutes };
}

test('a page that is left open keeps nobody signed in, and who comes back in time stays', async () => {
  const { headers, idleMinutes } = await sessionOf('demo-idle', { usedMinutesAgo: 119 });
  expect(await statusAt(gateway, { ...headers, 'x-unattended': '1' })).toBe(200);
  await listenTo(gateway, headers);
  expect(await idleMinutes()).toBe(119);
  expect(await statusAt(gateway, headers)).toBe(200);
  await eventually(async () => expect(await idleMinutes()).toBe(0));
});

test('without a sign of its person a session ends by itself, its streams with it', async () => {
  const { id, headers } = await sessionOf('demo-gone');
  const { ended } = await listenTo(gateway, headers);
  await execute(db, "UPDATE sessions SET used_at = now() - interval '121 minutes' WHERE id = :id", { id });
  expect(await statusAt(other, headers)).toBe(401);
  await tidySessions(db, 120);
  await ended;
  expect(await statusAt(gateway, headers)).toBe(401);
});

test.each([
  '/ops/retention/runs',
  '/ops/proposals/0198f3a0-0000-7000-8000-000000000001/confirm',
  '/ops/services/notifier/dead-letters/0198f3a0-0000-7000-8000-000000000001/replay',
  '/ops/webhook-deliveries/0198f3a0-0000-7000-8000-000000000001/reprocess',
])('what cannot be taken back wants a recent sign-in: %s', async (path) => {
  const stale = await sessionOf('demo-admin', { signedInMinutesAgo: 31 });
  const refused = await ask(gateway.port, path, { method: 'POST', headers: stale.headers });
  expect(refused).toMatchObject({ status: 403, json: { code: 'sign_in_again' } });
  const fresh = await sessionOf('demo-admin', { signedInMinutesAgo: 29 });
  expect((await ask(gateway.port, path, { method: 'POST', headers: fresh.headers })).status).toBe(200);
});

test('a dry run does not, nor does a program', async () => {
  const { headers } = await sessionOf('demo-admin', { signedInMinutesAgo: 600 });
  const dry = await ask(gateway.port, '/ops/retention/runs?dry_run=true', { method: 'POST', headers });
  expect(dry.status).toBe(200);
  const token = { authorization: `Bearer ${await provider.token('admin')}` };
  expect((await ask(gateway.port, '/ops/retention/runs', { method: 'POST', headers: token })).status).toBe(200);
});

test('signing in again asks who it is, though the identity provider remembers, and ends the session before', async () => {
  const browser = await signedIn('demo-admin');
  const before = cookieOf(browser);
  const page = await browser.visit(`${gateway.url}/auth/login?again=1&return_to=/docs`);
  expect(new URL(page.url).origin).toBe(provider.issuer);
  expect((await browser.press(page, { person: 'demo-admin' })).url).toBe(`${gateway.url}/docs`);
  expect(await statusAt(gateway, cookieOf(browser))).toBe(200);
  expect(await statusAt(gateway, before)).toBe(401);
  const [current] = (await signInsOf(browser)).filter((one) => one.current);
  expect(Date.now() - Date.parse(current?.signed_in_at ?? '')).toBeLessThan(60_000);
});

test('who strikes out that they are to be asked has not signed in recently', async () => {
  const browser = await signedIn('demo-admin');
  const way = new URL((await browser.send(`${gateway.url}/auth/login?again=1`)).headers.get('location') ?? '');
  expect(Object.fromEntries(way.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  for (const name of ['prompt', 'max_age']) way.searchParams.delete(name);
  await browser.visit(way.href);
  expect(await (await change(browser, '/ops/retention/runs')).json()).toMatchObject({ code: 'sign_in_again' });
});

test('an identity provider that lets somebody in without asking, though it was to, signs nobody in', async () => {
  const browser = await signedIn('demo-admin');
  const way = new URL((await browser.send(`${gateway.url}/auth/login`)).headers.get('location') ?? '');
  // As if it were an hour later, and whoever signed in before that had to be asked.
  const departure = await sealer.open('sign-in', browser.cookies(gateway.url).get('ops_sign_in') ?? '');
  const later = { ...departure, since: Math.floor(Date.now() / 1000) + 3_600 };
  const inAWhile = new Date(Date.now() + 600_000);
  browser.cookies(gateway.url).set('ops_sign_in', await sealer.seal('sign-in', later, inAWhile));
  expect((await browser.visit(way.href)).status).toBe(403);
});

test('while the database is away who is signed in goes on, and who is not known here has to wait', async () => {
  const [known, unknown] = [await sessionOf('demo-admin'), await sessionOf('demo-admin')];
  expect(await statusAt(gateway, known.headers)).toBe(200);
  await database.turnAway(true);
  try {
    expect(await statusAt(gateway, known.headers)).toBe(200);
    expect(await statusAt(gateway, unknown.headers)).toBe(503);
  } finally {
    await database.turnAway(false);
  }
  await eventually(async () => expect(await statusAt(gateway, unknown.headers)).toBe(200));
});
