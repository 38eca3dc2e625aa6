import { afterEach, expect, test } from '@jest/globals';
import { createBrowser } from './browser.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
afterEach(async () => {
  await gateway.stop();
  await issuer.down();
});

/** The access token is told to the API, the ID token to the client people sign in at. */
async function signIn(sub: { access: string; id: string }, subject_types_supported?: string[]) {
  issuer = await startTestIssuer();
  if (subject_types_supported) issuer.metadata.subject_types_supported = subject_types_supported;
  gateway = await startTestGateway({ issuer: issuer.url });
  const browser = createBrowser();
  const departure = await browser.send(`${gateway.url}/auth/login`);
  const { searchParams } = new URL(departure.headers.get('location') ?? '');
  const client_id = searchParams.get('client_id') as string;
  Object.assign(issuer.tokens, {
    token_type: 'Bearer',
    access_token: await issuer.token({ sub: sub.access }),
    id_token: await issuer.token(
      { sub: sub.id, aud: client_id, nonce: searchParams.get('nonce'), roles: undefined, name: 'Ann' },
      { typ: 'JWT' },
    ),
  });
  const answer = await browser.send(`${gateway.url}/auth/callback?code=c&state=${searchParams.get('state')}`);
  const me = await browser.send(`${gateway.url}/ops/me`);
  return { status: answer.status, me: me.status === 200 ? await me.json() : undefined };
}

test.each([
  ['says nothing of it', undefined],
  ['knows a person by one name', ['public']],
  ['may know a person by one name or several', ['public', 'pairwise']],
])('two tokens of two people are refused where the provider %s', async (_, types) => {
  expect(await signIn({ access: 'ann', id: 'bob' }, types)).toEqual({ status: 403, me: undefined });
});

test('one person is let in', async () => {
  expect(await signIn({ access: 'ann', id: 'ann' })).toMatchObject({ status: 303, me: { sub: 'ann' } });
});

test('a provider that names a person anew for each client names one person, whom the API knows by its own name', async () => {
  const told = await signIn({ access: 'ann at the API', id: 'ann at the gateway' }, ['pairwise']);
  expect(told).toMatchObject({ status: 303, me: { sub: 'ann at the API', name: 'Ann', role: 'staff' } });
});
