import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceAuditEntry } from '@ops/contracts/resources/audit';
import { type Db, openDatabase, rows } from '@ops/service-kit/database';
import { forbidden } from '@ops/service-kit/errors';
import { createLogger } from '@ops/service-kit/logger';
import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import type { Request, Response } from 'express';
import { createRefusals } from '../src/audit/refusals.ts';
import { migrations } from '../src/migrations.ts';
import { createBrowser, type TestBrowser } from './browser.ts';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { prepareIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

let provider: TestIdentityProvider;
let database: TestDatabase;
let db: Db;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await prepareIdentityProvider();
  database = await createServiceDatabase('gateway', migrations);
  db = openDatabase(database.urls.gateway, { applicationName: 'test' });
  gateway = await start(provider.start);
});
afterAll(async () => {
  await gateway.stop();
  await db.destroy();
  await database.drop();
  await provider.discard();
});

const start = (before?: (url: string) => Promise<void>) =>
  startTestGateway({ issuer: provider.issuer, env: provider.env, database, ...(before && { before }) });

async function signedIn(person: string): Promise<TestBrowser> {
  const browser = createBrowser();
  await browser.press(await browser.visit(`${gateway.url}/auth/login`), { person });
  return browser;
}

async function listed(query: string): Promise<ServiceAuditEntry[]> {
  const headers = bearer(await provider.token('admin', 'demo-looker'));
  const answer = await ask(gateway.port, `/ops/services/gateway/audit?${query}`, { headers });
  return (answer.json as unknown as { data: ServiceAuditEntry[] }).data;
}

test('who signed in from where, and signed out, is found by admins', async () => {
  const browser = await signedIn('demo-staff');
  const { csrf_token } = (await (await browser.send(`${gateway.url}/ops/me`)).json()) as { csrf_token: string };
  const headers = { origin: gateway.url, 'x-csrf-token': csrf_token, accept: 'application/json' };
  await browser.send(`${gateway.url}/auth/logout`, { method: 'POST', headers });
  const [out, into] = await listed('actor=demo-staff');
  expect(into).toMatchObject({ action: 'signIn', role: 'staff', subject: { kind: 'session' } });
  expect(into?.changes?.map(({ field }) => field)).toEqual(['signed_in', 'from']);
  expect(out).toMatchObject({ action: 'signOut', changes: [{ field: 'signed_out', old: null, new: true }] });
  expect(out?.subject.id).toBe(into?.subject.id);
});

test('of a customer who signs in stays that they were there, and not from where', async () => {
  await signedIn('C-1001');
  const [into] = await listed('actor=C-1001');
  expect(into?.changes).toEqual([{ field: 'signed_in', old: null, new: true }]);
});

test('a burst of refusals is one row with a count, by whom, for what and from where; who came without anything is none', async () => {
  const own = await start();
  const staff = bearer(await provider.token('staff', 'demo-curious'));
  for (let n = 0; n < 7; n++) await ask(own.port, '/ops/retention', { headers: staff });
  await ask(own.port, '/ops/me', { headers: bearer('made.up.token') });
  await ask(own.port, '/ops/me');
  await own.stop();
  const [refused, ...more] = await listed('actor=demo-curious');
  expect(more).toEqual([]);
  expect(refused).toMatchObject({ action: 'refused', role: 'staff', client: expect.any(String) });
  expect(Object.fromEntries(refused?.changes?.map(({ field, new: now }) => [field, now]) ?? [])).toEqual({
    refused: { status: 403, code: 'forbidden', route: expect.stringMatching(/^GET /), address: expect.any(String) },
    times: 7,
  });
  const unknown = await listed('actor=nobody');
  expect(unknown).toHaveLength(1);
  expect(unknown[0]).toMatchObject({ role: 'nobody' });
});

test('whoever comes with ever another thing fills no memory, and none of it is lost', async () => {
  const own = await start();
  for (let n = 0; n < 250; n++) {
    const headers = bearer(await provider.token('staff', `demo-many-${n}`));
    await ask(own.port, '/ops/retention', { headers });
  }
  await own.stop();
  const found = await rows<{ actor: string; times: number }>(
    db,
    `SELECT a.actor, CAST((SELECT c ->> 'new' FROM jsonb_array_elements(v.changes) c WHERE c ->> 'field' = 'times') AS int) AS times
     FROM audit a JOIN audit_values v ON v.audit_id = a.id
     WHERE a.action = 'refused' AND (a.actor LIKE 'demo-many-%' OR v.changes::text LIKE '%of_several%')`,
    {},
  );
  expect(found).toHaveLength(201);
  expect(found.reduce((sum, { times }) => sum + times, 0)).toBe(250);
});

test('what could not be written down while the database was away is written at the next turn, once', async () => {
  const refusals = createRefusals(db, createLogger('test', 'silent'));
  const staff = { actor: { sub: 'demo-patient', role: 'staff' } };
  const res = { locals: { caller: staff, trace: { requestId: 'demo' } } } as unknown as Response;
  const req = { method: 'GET', path: '/ops/retention', headers: {} } as Request;
  for (let n = 0; n < 3; n++) refusals.note(forbidden(), req, res);
  await database.turnAway(true);
  await refusals.stop().finally(() => database.turnAway(false));
  refusals.note(forbidden(), req, res);
  await refusals.stop();
  const found = await listed('actor=demo-patient');
  expect(found.map(({ changes }) => changes?.find(({ field }) => field === 'times')?.new)).toEqual([4]);
});

test('it is taken along as a file, which is written down too', async () => {
  const headers = bearer(await provider.token('admin', 'demo-looker'));
  const file = await ask(gateway.port, '/ops/services/gateway/audit.jsonl?actor=demo-staff', { headers });
  expect(file.headers['content-disposition']).toBe('attachment; filename="audit-gateway.jsonl"');
  const lines = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ServiceAuditEntry);
  expect(lines.map(({ action }) => action)).toEqual(['signOut', 'signIn']);
  expect((await listed('action=downloadAudit'))[0]).toMatchObject({ actor: 'demo-looker' });
});

test('staff do not see it, and the gateway has no dead letters', async () => {
  const asked = async (role: string, path: string) =>
    (await ask(gateway.port, path, { headers: bearer(await provider.token(role)) })).status;
  expect(await asked('staff', '/ops/services/gateway/audit')).toBe(403);
  expect(await asked('admin', '/ops/services/gateway/dead-letters')).toBe(404);
});
