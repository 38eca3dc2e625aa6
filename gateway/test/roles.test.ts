import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '@ops/contracts/roles';
import { type RouteSpec, routes, type ServiceName, serviceNames } from '@ops/contracts/routes';
import { createIdentityVerifier, identityHeader } from '@ops/service-kit/identity';
import { type AnswerBody, ask, bearer, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer());
});
afterAll(() => gateway.stop());

const table = (Object.entries(routes) as [string, RouteSpec][]).map(([name, spec]) => ({ name, spec }));
const samples: Record<string, string> = {
  ':id': 'C-1001',
  ':name': 'renewals-service',
};
const pathOf = ({ path }: RouteSpec) => path.replace(/:\w+/g, (parameter) => samples[parameter] ?? 'something');
const ownerOf = ({ owner }: RouteSpec) => (owner === 'named' ? 'renewals-service' : owner);

const cases = table.flatMap(({ name, spec }) => roles.map((role) => ({ name, role, spec })));

test.each(cases)('$name as $role', async ({ role, spec }) => {
  const headers = bearer(await issuer.token({ sub: 'C-1001', roles: [role], name: 'Some Body' }));
  if (spec.mediaType) return expectStream(spec, headers, spec.roles.includes(role));
  const answer = await ask(gateway.port, pathOf(spec), { method: spec.method, headers });
  if (!spec.roles.includes(role)) {
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ status: 403, code: 'forbidden' });
  } else if (spec.owner === 'gateway') expect(answer.status).toBe(spec.path.includes(':') ? 422 : 200);
  else await expectForwarded(answer.json, spec, role);
});

async function expectForwarded(seen: AnswerBody, spec: RouteSpec, role: string) {
  const owner = ownerOf(spec) as ServiceName;
  expect(gateway.services[owner].seen.at(-1)).toEqual(seen);
  expect(seen).toMatchObject({ method: spec.method, url: pathOf(spec) });
  const verify = createIdentityVerifier(JSON.stringify(gateway.publicKeys), owner);
  expect(await verify(seen.headers[identityHeader])).toEqual({
    actor: { sub: 'C-1001', role, name: 'Some Body' },
    via: 'gateway',
  });
  const elsewhere = serviceNames.find((name) => name !== owner) as ServiceName;
  const verifyElsewhere = createIdentityVerifier(JSON.stringify(gateway.publicKeys), elsewhere);
  await expect(verifyElsewhere(seen.headers[identityHeader])).rejects.toMatchObject({ status: 401 });
}

async function expectStream(spec: RouteSpec, headers: Record<string, string>, allowed: boolean) {
  const leave = new AbortController();
  const answer = await fetch(gateway.url + pathOf(spec), { method: spec.method, headers, signal: leave.signal });
  expect(answer.status).toBe(allowed ? 200 : 403);
  leave.abort();
}

test.each(table)('$name without a token gets 401', async ({ spec }) => {
  const answer = await ask(gateway.port, pathOf(spec), { method: spec.method });
  expect(answer.status).toBe(401);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
});

test('a service sees only what was meant for it', () => {
  const owners = new Set(table.map(({ spec }) => ownerOf(spec)));
  for (const [name, service] of Object.entries(gateway.services))
    expect(service.seen.length > 0).toBe(owners.has(name as ServiceName));
});

test.each([
  ['none', {}],
  ['an empty list', { roles: [] }],
  ['an unknown one', { roles: ['superuser'] }],
  ['a known one in other letters', { roles: ['Admin'] }],
  ['an object', { roles: { admin: true } }],
  ['a list in a list', { roles: [['admin']] }],
  ['one in another claim', { role: 'admin', groups: ['admin'] }],
])('a good token whose role is %s gets 403', async (_what, claims) => {
  const token = await issuer.token({ roles: undefined, ...claims } as never);
  const answer = await ask(gateway.port, '/ops/me', { headers: bearer(token) });
  expect(answer.status).toBe(403);
  expect(answer.json.code).toBe('forbidden');
});

test.each([
  [['customer', 'staff'], 'staff'],
  [['staff', 'admin'], 'admin'],
  [['scheduler', 'unknown'], 'scheduler'],
  ['automation', 'automation'],
])('the most powerful of %j acts: %s', async (held, acting) => {
  const answer = await ask(gateway.port, '/ops/me', { headers: bearer(await issuer.token({ roles: held })) });
  expect(answer.json).toMatchObject({ sub: 'somebody', role: acting, csrf_token: null });
});

test.each([
  ['automation:renewals', '/ops/service-types', 200],
  ['automation:renewals', '/ops/customers', 403],
  ['automation:customers', '/ops/customers', 200],
  ['automation:customers', '/ops/me', 200],
  [['automation:customers', 'automation:events'], '/ops/customers/C-1001/communications', 403],
  [['automation:customers', 'automation'], '/ops/customers/C-1001/communications', 200],
  [['automation:customers', 'staff'], '/ops/customers/C-1001/communications', 200],
  ['automation:everything', '/ops/me', 403],
])('of what programs may, the role %j may its part: %s %s', async (held, path, status) => {
  const answer = await ask(gateway.port, path, { headers: bearer(await issuer.token({ roles: held })) });
  expect(answer.status).toBe(status);
});

test('whatever programs may belongs to a part', () => {
  for (const { name, spec } of table)
    expect([name, spec.part !== undefined]).toEqual([name, spec.roles.includes('automation') && name !== 'getMe']);
});

test('me tells when the token ends', async () => {
  const exp = Math.floor(Date.now() / 1000) + 500;
  const answer = await ask(gateway.port, '/ops/me', { headers: bearer(await issuer.token({ exp, name: 'N' })) });
  expect(answer.json).toEqual({
    sub: 'somebody',
    name: 'N',
    role: 'staff',
    expires_at: new Date(exp * 1000).toISOString(),
    csrf_token: null,
  });
});

test('an unknown query parameter of an own route is named', async () => {
  const answer = await ask(gateway.port, '/ops/me?verbose=1', { headers: bearer(await issuer.token()) });
  expect(answer.status).toBe(422);
  expect(answer.json.errors[0]?.path).toBe('verbose');
});

test('an unknown path is 404 for who is signed in, whatever the role', async () => {
  for (const role of roles) {
    const headers = bearer(await issuer.token({ roles: [role] }));
    expect((await ask(gateway.port, '/ops/nothing/here', { headers })).status).toBe(404);
  }
  expect((await ask(gateway.port, '/ops/nothing/here')).status).toBe(401);
  expect((await ask(gateway.port, '/ops')).status).toBe(401);
});

test('an unknown service is 404, a known one is asked by its own dead letters', async () => {
  const headers = bearer(await issuer.token({ roles: ['admin'] }));
  expect((await ask(gateway.port, '/ops/services/gateway/dead-letters', { headers })).status).toBe(404);
  expect((await ask(gateway.port, '/ops/services/notifier/dead-letters', { headers })).json.url).toBe(
    '/ops/services/notifier/dead-letters',
  );
});

test.each(['DELETE', 'OPTIONS', 'POST', 'TRACE'])('%s where it is not meant gets 405 and what is', async (method) => {
  const headers = bearer(await issuer.token());
  const answer = await ask(gateway.port, '/ops/customers/C-1001', { method, headers });
  expect(answer.status).toBe(405);
  expect(answer.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'PATCH', 'PUT']);
  expect(answer.json.code).toBe('method_not_allowed');
});

test('HEAD is asked like GET', async () => {
  const headers = bearer(await issuer.token());
  const answer = await ask(gateway.port, '/ops/customers/C-1001', { method: 'HEAD', headers });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(gateway.services['comms-service'].seen.at(-1)?.method).toBe('HEAD');
  const customer = bearer(await issuer.token({ roles: ['customer'] }));
  expect((await ask(gateway.port, '/ops/customers/C-1001', { method: 'HEAD', headers: customer })).status).toBe(403);
});
