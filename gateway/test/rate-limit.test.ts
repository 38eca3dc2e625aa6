import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.down());

async function withGateway(env: NodeJS.ProcessEnv, work: () => Promise<void>) {
  gateway = await startTestGateway({ issuer: issuer.url, env });
  await work().finally(() => gateway.stop());
}

const as = async (sub: string, role: string) => bearer(await issuer.token({ sub, roles: [role] }));
const statuses = async (times: number, path: string, headers: Record<string, string> = {}) => {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await ask(gateway.port, path, { headers })).status);
  return all;
};

test('a person over the limit gets 429 with Retry-After; another person does not', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '3' }, async () => {
    const one = await as('one', 'staff');
    const first = await ask(gateway.port, '/ops/customers', { headers: one });
    expect(first.headers['ratelimit-policy']).toMatch(/^"person"; q=3; w=60/);
    expect(first.headers.ratelimit).toMatch(/^"person"; r=2; t=\d+/);
    expect(await statuses(2, '/ops/customers', one)).toEqual([200, 200]);
    const over = await ask(gateway.port, '/ops/customers', { headers: one });
    expect(over).toMatchObject({ status: 429, json: { status: 429, code: 'too_many_requests' } });
    expect(over.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(over.headers.ratelimit).toMatch(/r=0/);
    expect(gateway.services['comms-service'].seen).toHaveLength(3);
    expect(await statuses(1, '/ops/customers', await as('two', 'staff'))).toEqual([200]);
  }));

test('a person is counted whatever token they use', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () => {
    const three = [await as('one', 'staff'), await as('one', 'staff'), await as('one', 'staff')];
    const all = [];
    for (const headers of three) all.push(...(await statuses(1, '/ops/me', headers)));
    expect(all).toEqual([200, 200, 429]);
  }));

test('a program is counted by its client, whatever names its tokens bear, and has a limit of its own', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_AUTOMATION_PER_MINUTE: '4' }, async () => {
    const of = async (sub: string, azp?: string) => bearer(await issuer.token({ sub, azp, roles: ['automation'] }));
    const told = await ask(gateway.port, '/ops/customers', { headers: await of('crm', 'crm') });
    expect(told.headers['ratelimit-policy']).toMatch(/^"person"; q=4; w=60/);
    expect(await statuses(3, '/ops/customers', await of('crm', 'crm'))).toEqual([200, 200, 200]);
    expect(await statuses(1, '/ops/customers', await of('another-name', 'crm'))).toEqual([429]);
    expect(await statuses(5, '/ops/customers', await of('website'))).toEqual([200, 200, 200, 200, 429]);
  }));

test('webhooks are not counted', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () => {
    expect(new Set(await statuses(6, '/webhooks/sms'))).toEqual(new Set([200]));
  }));

test('an address that keeps sending bad tokens gets 429, and a good token from it still passes', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '4' }, async () => {
    const bad = bearer('bad');
    expect(await statuses(6, '/ops/me', bad)).toEqual([401, 401, 401, 401, 429, 429]);
    const refused = await ask(gateway.port, '/ops/me', { headers: bad });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await statuses(1, '/ops/me')).toEqual([429]);
    expect(await statuses(1, '/ops/me', await as('one', 'staff'))).toEqual([200]);
  }));

test('pages and sign-in are limited by address; probes are not, nor are the parts a page is made of', () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: '3' }, async () => {
    expect(await statuses(5, '/assets/index-1.js')).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(4, '/auth/callback')).toEqual([400, 400, 400, 429]);
    expect(await statuses(1, '/docs')).toEqual([429]);
    expect(await statuses(1, '/assets/index-1.js')).toEqual([200]);
    expect(await statuses(5, '/healthz')).toEqual([200, 200, 200, 200, 200]);
  }));

test('X-Forwarded-For is believed only of as many proxies as we were told of', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address, ...bearer('bad') });
  const rounds = async () => [
    ...(await statuses(2, '/ops/me', from('198.51.100.1'))),
    ...(await statuses(2, '/ops/me', from('198.51.100.2'))),
    ...(await statuses(1, '/ops/me', from('198.51.100.99, 198.51.100.1'))),
  ];
  await withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async () =>
    expect(await rounds()).toEqual([401, 401, 429, 429, 429]),
  );
  await withGateway({ RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: '1' }, async () =>
    expect(await rounds()).toEqual([401, 401, 401, 401, 429]),
  );
});
