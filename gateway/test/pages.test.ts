import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routes } from '@ops/contracts/routes';
import { webhooks } from '@ops/contracts/webhooks';
import { ask, bearer, startTestGateway, startWithIssuer, type TestGateway } from './gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ issuer: 'http://127.0.0.1:1' });
});
afterAll(() => gateway.stop());

const get = (path: string, accept?: string) => ask(gateway.port, path, accept ? { headers: { accept } } : {});
const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

test('the documents are the generated ones', async () => {
  const openApi = await get('/openapi.json');
  expect(openApi.headers['content-type']).toMatch(/^application\/json/);
  const all = [...Object.values(routes), ...Object.values(webhooks)];
  const paths: unknown = (openApi.json as unknown as { paths: object }).paths;
  expect(Object.keys(paths as object)).toHaveLength(new Set(all.map(({ path }) => path)).size);
  expect((await get('/asyncapi.json')).json).toMatchObject({ asyncapi: '3.0.0' });
});

test.each(['/', '/docs'])('%s runs nothing inline and loads nothing from elsewhere', async (path) => {
  const { status, text, headers } = await get(path, html);
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

test('the reference is for whoever signs in, where a firm wants that', async () => {
  const { issuer, gateway: closed } = await startWithIssuer({ env: { DOCS_FOR: 'signed_in' } });
  const headers = bearer(await issuer.token());
  for (const path of ['/docs', '/openapi.json', '/asyncapi.json']) {
    const [stranger, known] = [await ask(closed.port, path), await ask(closed.port, path, { headers })];
    expect([path, stranger.status, known.status]).toEqual([path, path === '/docs' ? 303 : 401, 200]);
  }
  expect((await ask(closed.port, '/docs')).headers.location).toBe('/auth/login?return_to=/docs');
  await closed.stop();
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

test('every address that is nobody else’s is a page of the UI, asked for each time', async () => {
  for (const path of ['/', '/customers', '/customers/C-1?tab=timeline', '/nothing']) {
    const { status, text, headers } = await get(path, html);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(text).toContain('<title>Pages</title>');
  }
  expect((await get('/')).text).toContain('<title>Pages</title>');
  expect(await get('/ops/nothing', html)).toMatchObject({ status: 401, json: { code: 'unauthorised' } });
});

test('its parts never change, and those it does not have are not found', async () => {
  const part = await get('/assets/index-1.js', '*/*');
  expect([part.status, part.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect(part.headers['content-type']).toMatch(/javascript/);
  for (const hidden of ['/assets/index-2.js', '/assets/..%2findex.html', '/assets/', '/index.html.map'])
    expect((await get(hidden, '*/*')).status).toBeGreaterThanOrEqual(400);
});

test('styles of its own are let in by a nonce that is another one each time; scripts are files of ours', async () => {
  const [one, other] = [await get('/', html), await get('/', html)];
  const nonces = [one, other].map(({ headers, text }) => {
    const [, nonce] = /style-src 'self' 'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
    expect(text).toContain(`nonce="${nonce}"`);
    expect(text).not.toContain('__NONCE__');
    return nonce;
  });
  expect(new Set(nonces).size).toBe(2);
  expect(one.headers['content-security-policy']).toContain("script-src 'self';");
  expect(one.headers['content-security-policy']).not.toContain('unsafe');
});

test('pages that were not built are said to be missing', async () => {
  const bare = await startTestGateway({ issuer: 'http://127.0.0.1:1', env: { UI_DIR: import.meta.dirname } });
  expect(await ask(bare.port, '/', { headers: { accept: html } })).toMatchObject({
    status: 503,
    json: { code: 'ui_not_built' },
  });
  await bare.stop();
});

test('an unknown address is a problem for whoever asks for no page', async () => {
  expect(await get('/nothing')).toMatchObject({ status: 404, json: { code: 'not_found' } });
  expect(await get('/nothing', 'application/json')).toMatchObject({ status: 404 });
});

test('over plain HTTP nothing pretends to be HTTPS; over HTTPS everything insists on it', async () => {
  const plain = await get('/', html);
  expect(plain.headers['strict-transport-security']).toBeUndefined();
  expect(plain.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  const secure = await startTestGateway({
    issuer: 'http://127.0.0.1:1',
    env: { PUBLIC_URL: 'https://ops.example' },
  });
  const { headers } = await ask(secure.port, '/', { headers: { accept: html } });
  expect(headers['strict-transport-security']).toMatch(/^max-age=31536000/);
  expect(headers['content-security-policy']).toContain('upgrade-insecure-requests');
  await secure.stop();
});

test('requests are counted by the route of the table, never by an id', async () => {
  await get('/ops/customers/C-1001');
  const metrics = await gateway.metrics.registry.metrics();
  expect(metrics).toContain('http_request_duration_seconds');
  expect(metrics).not.toContain('C-1001');
});
