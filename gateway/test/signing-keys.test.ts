import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { createAccessTokenReader } from '../src/sign-in/access-token.ts';
import { createIdentityProvider } from '../src/sign-in/identity-provider.ts';
import { createKeySource } from '../src/sign-in/key-source.ts';
import { ask, bearer, createTestBus, startTestGateway } from './gateway.ts';
import { makeKey, startTestIssuer } from './issuer.ts';

const logger = { warn: () => {} } as never;

function clock() {
  let now = 1_000_000;
  return { now: () => now, pass: (ms: number) => (now += ms) };
}

async function loaded() {
  const issuer = await startTestIssuer();
  const { now, pass } = clock();
  const keys = createKeySource(new URL(`${issuer.url}/jwks`), { logger, now });
  await keys.load();
  const find = async (kid: string) => keys({ alg: 'RS256', kid });
  return { issuer, find, pass, readings: () => issuer.asked['/jwks'] };
}

test('made-up key ids, however many, make us read the keys once in 30 s', async () => {
  const { issuer, find, pass, readings } = await loaded();
  const flood = () => Promise.allSettled(Array.from({ length: 200 }, (_, i) => find(`made-up-${i}`)));
  const outcomes = await flood();
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(readings()).toBe(1);
  pass(30_000);
  await flood();
  await flood();
  expect(readings()).toBe(2);
  await issuer.down();
});

test('a new key is found as soon as a token names it, by all who ask meanwhile', async () => {
  const { issuer, find, pass, readings } = await loaded();
  issuer.keys.unshift(await makeKey('RS256', 'new'));
  pass(30_000);
  await Promise.all(Array.from({ length: 20 }, () => find('new')));
  expect(readings()).toBe(2);
  await issuer.down();
});

test('known keys serve on while the provider is away, which is asked only now and then', async () => {
  const { issuer, find, pass, readings } = await loaded();
  await issuer.down();
  pass(24 * 3_600_000);
  for (let i = 0; i < 50; i++) await find('first');
  await Promise.allSettled(Array.from({ length: 50 }, (_, i) => find(`made-up-${i}`)));
  await issuer.up();
  const before = readings();
  pass(29_000);
  await find('first');
  expect(readings()).toBe(before);
  await issuer.down();
});

test('old keys are read again in the background', async () => {
  const { issuer, find, pass, readings } = await loaded();
  issuer.keys.unshift(await makeKey('RS256', 'new'));
  pass(600_000);
  await find('first');
  await find('new');
  expect(readings()).toBe(2);
  await issuer.down();
});

test('a provider that is away at the start is looked for again, once for all who wait', async () => {
  const issuer = await startTestIssuer();
  await issuer.down();
  const { now, pass } = clock();
  const provider = createIdentityProvider({ issuer: issuer.url, clientId: 'c', clientSecret: 's', logger, now });
  await expect(provider.discovered()).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  await issuer.up();
  await expect(provider.discovered()).rejects.toMatchObject({ status: 503 });
  expect(issuer.asked).toEqual({});
  pass(1000);
  const found = await Promise.all(Array.from({ length: 20 }, () => provider.discovered()));
  expect(new Set(found).size).toBe(1);
  expect(issuer.asked).toEqual({ '/.well-known/openid-configuration': 1, '/jwks': 1 });
  await issuer.down();
});

test('until the provider was reached: not ready, 503 for who brings a token, 401 for who does not', async () => {
  const issuer = await startTestIssuer();
  const token = await issuer.token();
  await issuer.down();
  const gateway = await startTestGateway({ issuer: issuer.url });
  const answer = await ask(gateway.port, '/ops/me', { headers: bearer(token) });
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(gateway.port, '/ops/me')).status).toBe(401);
  expect((await ask(gateway.port, '/auth/login')).status).toBe(503);
  const ready = await ask(gateway.port, '/readyz');
  expect(ready).toMatchObject({ status: 503, json: { detail: 'Not reachable: identity provider' } });
  expect((await ask(gateway.port, '/healthz')).status).toBe(200);
  await gateway.stop();
});

test('ready with keys and the bus, whatever the services do; not ready once the bus is away', async () => {
  const issuer = await startTestIssuer();
  const bus = createTestBus();
  const gateway = await startTestGateway({ issuer: issuer.url, bus });
  await gateway.services['comms-service'].stop();
  expect((await ask(gateway.port, '/readyz')).status).toBe(200);
  bus.check = async () => {
    throw new Error('the broker is away');
  };
  expect(await ask(gateway.port, '/readyz')).toMatchObject({ status: 503, json: { detail: 'Not reachable: bus' } });
  await issuer.down();
  await gateway.stop();
});

test('a token whose key was withdrawn is refused once the keys were read again', async () => {
  const issuer = await startTestIssuer();
  const { now, pass } = clock();
  const provider = createIdentityProvider({ issuer: issuer.url, clientId: 'c', clientSecret: 's', logger, now });
  const read = createAccessTokenReader(provider, {
    audience: 'ops-api',
    clientId: 'c',
    mostHours: 24,
    roleClaim: 'roles',
  });
  const token = await issuer.token();
  expect(await read(token)).toMatchObject({ actor: { sub: 'somebody', role: 'staff' } });
  issuer.keys.splice(0, 1, await makeKey('RS256', 'second'));
  expect(await read(token)).toMatchObject({ actor: { sub: 'somebody' } });
  pass(600_000);
  await read(token);
  await eventually(() => expect(issuer.asked['/jwks']).toBe(2));
  await eventually(() => expect(read(token)).rejects.toMatchObject({ status: 401 }));
  await issuer.down();
});
