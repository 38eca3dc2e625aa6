import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { createSealer } from './sealed.ts';
import { createSessions } from './session.ts';

const sealer = createSealer(['a session secret of more than 32 characters']);
const identity = {
  actor: { sub: 's'.repeat(200), role: 'staff', name: 'n'.repeat(200) },
  expiresAt: new Date(Date.now() + 60_000),
} as const;

/** What is set on the one is sent back by the other. */
async function roundTrip(idToken: string | undefined, secure = false) {
  const cookies: { name: string; value: string; options: object }[] = [];
  const res = { cookie: (name: string, value: string, options: object) => cookies.push({ name, value, options }) };
  const sessions = createSessions(sealer, secure);
  await sessions.begin(res as unknown as Response, identity, idToken);
  const [cookie] = cookies;
  const header = `other=1; ${cookie?.name}=${cookie?.value}; more=2`;
  return { cookie, session: await sessions.read({ headers: { cookie: header } } as Request) };
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
  const { cookie } = await roundTrip(undefined, true);
  expect(cookie).toMatchObject({ name: '__Host-ops_session', options: { secure: true, path: '/', httpOnly: true } });
  expect(cookie?.options).not.toHaveProperty('domain');
});
