import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Db, oneRow, openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import type { Request, Response } from 'express';
import { migrations } from '../migrations.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createSealer } from './sealed.ts';
import { createSessions } from './session.ts';

const sealer = createSealer(['a session secret of more than 32 characters']);
const identity = {
  actor: { sub: 's'.repeat(200), role: 'staff', name: 'n'.repeat(200) },
  expiresAt: new Date(Date.now() + 60_000_000),
} as const;

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createServiceDatabase('gateway', migrations);
  db = openDatabase(database.urls.gateway, { applicationName: 'test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const requestWith = (cookie: string | undefined): Request =>
  ({ headers: { cookie }, path: '/', ip: '127.0.0.1', get: () => undefined }) as unknown as Request;

/** What is set on the one is sent back by the other. */
async function roundTrip(idToken: string | undefined, { secure = false, signedInAt = new Date() } = {}) {
  const cookies: { name: string; value: string; options: object }[] = [];
  const res = {
    locals: { trace: { requestId: 'demo' } },
    cookie: (name: string, value: string, options: object) => cookies.push({ name, value, options }),
  };
  const open = createOpenSessions({ db, logger: createLogger('test', 'silent'), idleMinutes: 60, onEnd: () => {} });
  const sessions = createSessions({ db, open, sealer, secure, hours: 12 });
  await sessions.begin(requestWith(undefined), res as unknown as Response, { identity, signedInAt, idToken });
  const [cookie] = cookies;
  const header = `other=1; ${cookie?.name}=${cookie?.value}; more=2`;
  return { cookie, session: await sessions.read(requestWith(header)) };
}

test('a session comes back as it began', async () => {
  const { session } = await roundTrip('an.id.token');
  expect(session).toMatchObject({ actor: identity.actor, idToken: 'an.id.token' });
  expect(session?.csrf.length).toBeGreaterThanOrEqual(32);
  expect((await roundTrip('an.id.token')).session?.csrf).not.toBe(session?.csrf);
});

test('an ID token too large for a cookie is left out rather than the session lost', async () => {
  const { cookie, session } = await roundTrip('x'.repeat(4000));
  expect(cookie?.value.length).toBeLessThan(3800);
  expect(session).toMatchObject({ actor: identity.actor, idToken: undefined });
});

test('over HTTPS the cookie is bound to this very host', async () => {
  const { cookie } = await roundTrip(undefined, { secure: true });
  expect(cookie).toMatchObject({ name: '__Host-ops_session', options: { secure: true, path: '/', httpOnly: true } });
  expect(cookie?.options).not.toHaveProperty('domain');
});

test('it ends half a day after its person showed who they are, though the token lives on', async () => {
  const signedInAt = new Date(Date.now() - 3_600_000);
  const { session } = await roundTrip(undefined, { signedInAt });
  const until = Math.floor((signedInAt.getTime() + 12 * 3_600_000) / 1000) * 1000;
  expect(session?.expiresAt).toEqual(new Date(until));
  const { ends_at } = await oneRow<{ ends_at: Date }>(db, 'SELECT ends_at FROM sessions WHERE id = :id', {
    id: session?.id ?? '',
  });
  expect(Math.floor(ends_at.getTime() / 1000) * 1000).toBe(until);
});
