import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { clientNetworkHeader } from '@ops/contracts/webhooks';
import { createIdentityVerifier, identityHeader } from '@ops/service-kit/identity';
import { ask, bearer, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let authorised: Record<string, string>;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer());
  authorised = bearer(await issuer.token({ sub: 'demo-staff', roles: ['staff'] }));
});
beforeEach(() => {
  for (const service of Object.values(gateway.services)) service.seen.length = 0;
});
afterAll(() => gateway.stop());

const forged = {
  'x-ops-identity': 'forged',
  'X-Ops-Identity': 'forged again',
  x_ops_identity: 'forged',
  'x-user-id': 'admin',
  x_user_id: 'admin',
  'X-USER-ROLE': 'admin',
  'x-role': 'admin',
  'x-roles': 'admin',
  x_roles: 'admin',
  'x-customer-id': 'C-2',
  'x-actor': 'admin',
  'x-actor-role': 'admin',
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-user': 'admin',
  x_forwarded_host: 'elsewhere.example',
  'x-forwarded-proto': 'https',
  forwarded: 'for=10.0.0.1',
  'x-real-ip': '10.0.0.1',
  'x-auth-request-user': 'admin',
  'remote-user': 'admin',
  'x-remote-user': 'admin',
  'x-original-url': '/ops/services',
  'x-anything-at-all': 'admin',
  cookie: 'ops_session=forged',
  connection: 'x-request-id, keep-alive',
  te: 'trailers',
  'proxy-authorization': 'Basic eA==',
};

/** What Node's client and the gateway say on their own. */
const own = ['connection', 'host', 'traceparent', identityHeader, 'x-request-id'];

test('forged identity headers beside a valid token change nothing', async () => {
  const answer = await ask(gateway.port, '/ops/customers', { headers: { ...forged, ...authorised } });
  expect(answer.status).toBe(200);
  const [seen] = gateway.services['comms-service'].seen;
  expect(Object.keys(seen?.headers ?? {}).sort()).toEqual(own);
  expect(seen?.rawHeaders.filter((name) => name.toLowerCase() === identityHeader)).toHaveLength(1);
  const verify = createIdentityVerifier(JSON.stringify(gateway.publicKeys), 'comms-service');
  expect(await verify(seen?.headers[identityHeader] as string)).toEqual({
    actor: { sub: 'demo-staff', role: 'staff' },
    via: 'gateway',
  });
  expect(seen?.headers.host).toBe(new URL(gateway.services['comms-service'].url).host);
});

test('forged identity headers without a token get 401', async () => {
  expect((await ask(gateway.port, '/ops/customers', { headers: forged })).status).toBe(401);
});

test('what a request means for its service passes', async () => {
  const meant = {
    accept: 'application/json',
    'accept-language': 'de',
    'content-type': 'application/json',
    'idempotency-key': 'k-1',
    'if-match': '"3"',
    prefer: 'respond-async',
    'user-agent': 'a test',
  };
  await ask(gateway.port, '/ops/customers/C-1/notes', {
    method: 'POST',
    headers: { ...meant, ...authorised },
    body: '{}',
  });
  expect(gateway.services['comms-service'].seen[0]?.headers).toMatchObject(meant);
});

test('a webhook keeps what its provider signs with and loses what claims an identity', async () => {
  const signed = {
    authorization: 'Basic cG9zdG1hcms6c2VjcmV0',
    'x-hub-signature-256': 'sha256=00',
    'x-twilio-signature': 'abc',
    'content-type': 'application/json',
    'user-agent': 'a provider',
  };
  const body = '{"id":12345678901234567890,"text":"\\u00e4"}';
  const answer = await ask(gateway.port, '/webhooks/messaging-app?hub.mode=subscribe', {
    method: 'POST',
    headers: { ...forged, ...signed, [clientNetworkHeader]: 'of my choice' },
    body,
  });
  const [seen] = gateway.services['webhook-ingest'].seen;
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/webhooks/messaging-app?hub.mode=subscribe',
    body,
    headers: { ...signed, [clientNetworkHeader]: '127.0.0.1' },
  });
  const left = Object.keys(forged)
    .map((name) => name.toLowerCase())
    .filter((name) => name in (seen?.headers ?? {}));
  expect(left).toEqual(['x-anything-at-all', 'connection']);
  expect(answer.headers.ratelimit).toBeUndefined();
});

test('request id and trace are passed on to the service and back', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const answer = await ask(gateway.port, '/ops/customers', {
    headers: { ...authorised, 'x-request-id': 'my.request-1', traceparent: `00-${trace}-b7ad6b7169203331-01` },
  });
  const headers = gateway.services['comms-service'].seen[0]?.headers;
  expect(headers?.['x-request-id']).toBe('my.request-1');
  expect(headers?.traceparent).toMatch(new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  expect(answer.headers['x-request-id']).toBe('my.request-1');
});

test.each(['', 'two words', 'x'.repeat(129), '<b>'])('a request id %j is replaced', async (id) => {
  const answer = await ask(gateway.port, '/ops/customers', { headers: { ...authorised, 'x-request-id': id } });
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(gateway.services['comms-service'].seen[0]?.headers['x-request-id']).toBe(answer.headers['x-request-id']);
});

test.each(['/', '/docs', '/healthz', '/nothing', '/ops/me', '/auth/callback', '/webhooks/sms'])(
  'API-Version, request id and security headers stand on %s',
  async (path) => {
    const { headers } = await ask(gateway.port, path);
    expect(headers).toMatchObject({
      'api-version': '1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=(), '),
    });
    expect(headers['x-request-id']).toBeDefined();
    expect(headers['content-security-policy']).toContain("default-src 'none';script-src 'self'");
    expect(headers['x-powered-by']).toBeUndefined();
  },
);

test('what a service says of its connection and itself stays behind', async () => {
  gateway.services['comms-service'].behave((_req, res) =>
    res
      .writeHead(200, { 'Set-Cookie': 'a=b', Server: 'x', 'X-Powered-By': 'y', 'Keep-Alive': 'timeout=1', ETag: '"7"' })
      .end('{}'),
  );
  const { headers } = await ask(gateway.port, '/ops/customers', { headers: authorised });
  gateway.services['comms-service'].behave(undefined);
  expect(headers).toMatchObject({ etag: '"7"', 'cache-control': 'no-store', 'api-version': '1' });
  for (const name of ['set-cookie', 'server', 'x-powered-by']) expect(headers).not.toHaveProperty(name);
});
