import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routes } from '@ops/contracts/routes';
import { ask, startTestGateway, type TestGateway } from './test-gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ issuer: 'http://127.0.0.1:1' });
});
afterAll(() => gateway.stop());

const get = (path: string) => ask(gateway.port, path);

test('the documents are the generated ones', async () => {
  const openApi = await get('/openapi.json');
  expect(openApi.headers['content-type']).toMatch(/^application\/json/);
  const paths: unknown = (openApi.json as unknown as { paths: object }).paths;
  expect(Object.keys(paths as object)).toHaveLength(new Set(Object.values(routes).map(({ path }) => path)).size);
  expect((await get('/asyncapi.json')).json).toMatchObject({ asyncapi: '3.0.0' });
});

test.each(['/', '/docs'])('%s runs nothing inline and loads nothing from elsewhere', async (path) => {
  const { status, text, headers } = await get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/html/);
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=|javascript:/i);
  for (const [, address] of text.matchAll(/(?:src|href|action)="([^"]+)"/g)) {
    expect(address).toMatch(/^\/(?!\/)/);
    expect([200, 303, 503]).toContain((await get(address as string)).status);
  }
});

test('the reference page gets its parts from here, with their types', async () => {
  expect((await get('/docs/swagger-ui-bundle.js')).headers['content-type']).toMatch(/javascript/);
  expect((await get('/docs/swagger-ui.css')).headers['content-type']).toMatch(/^text\/css/);
  expect((await get('/docs.js')).headers['content-type']).toMatch(/javascript/);
  for (const hidden of ['/docs/package.json', '/docs/index.html', '/docs/swagger-ui-bundle.js.map', '/docs.html'])
    expect((await get(hidden)).status).toBe(404);
});

/** What the page's own script hands to the library. */
async function requestInterceptor(answer: object) {
  const given = Promise.withResolvers<(request: object) => Promise<object>>();
  runInNewContext((await get('/docs.js')).text, {
    SwaggerUIBundle: (options: { requestInterceptor: never }) => given.resolve(options.requestInterceptor),
    fetch: async () => answer,
  });
  return given.promise;
}

test('a change tried out on the reference page carries the token of the session, if there is one', async () => {
  const signedIn = await requestInterceptor({ ok: true, json: async () => ({ csrf_token: 't' }) });
  const sent = (method?: string, headers = {}) => signedIn({ ...(method && { method }), headers });
  expect(await sent('POST')).toMatchObject({ headers: { 'X-CSRF-Token': 't' } });
  for (const unchanged of [await sent(), await sent('GET'), await sent('PUT', { Authorization: 'Bearer x' })])
    expect(unchanged).not.toHaveProperty(['headers', 'X-CSRF-Token']);
  const stranger = await requestInterceptor({ ok: false });
  expect(await stranger({ method: 'POST', headers: {} })).toEqual({ method: 'POST', headers: {} });
});

test('who is not signed in is told so, and where to', async () => {
  const { text, headers } = await get('/');
  expect(text).toContain('You are not signed in');
  expect(text).toContain('href="/auth/login"');
  expect(headers['cache-control']).toBe('no-store');
});

test('an unknown page is a problem', async () => {
  expect(await get('/nothing')).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

test('over plain HTTP nothing pretends to be HTTPS; over HTTPS everything insists on it', async () => {
  const plain = await get('/');
  expect(plain.headers['strict-transport-security']).toBeUndefined();
  expect(plain.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  const secure = await startTestGateway({
    issuer: 'http://127.0.0.1:1',
    env: { PUBLIC_URL: 'https://ops.example' },
  });
  const page = await ask(secure.port, '/');
  expect(page.headers['strict-transport-security']).toMatch(/^max-age=31536000/);
  expect(page.headers['content-security-policy']).toContain('upgrade-insecure-requests');
  await secure.stop();
});

test('requests are counted by the route of the table, never by an id', async () => {
  await get('/ops/customers/C-1001');
  const metrics = await gateway.metrics.registry.metrics();
  expect(metrics).toContain('http_request_duration_seconds');
  expect(metrics).not.toContain('C-1001');
});
