import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, bearer, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer());
});
afterAll(() => gateway.stop());

test.each([
  '/ops/customers/C-1/communications/../../../customers',
  '/ops/customers/C-1/./communications',
  '/ops/customers/..',
  '/ops/customers/C-1/communications/..',
  '/ops/../ops/customers',
  '/../ops/customers',
  '/ops/customers/%2e%2e/customers',
  '/ops/customers/%2E%2E',
  '/ops/customers/.%2e/customers',
  '/ops/customers/%2e',
  '/ops/customers/C%2e1',
  '/ops/customers/C-1%2fcommunications',
  '/ops/customers/C-1%2Fcommunications',
  '/ops%2fcustomers',
  '/ops/customers/..%2fcustomers',
  '/ops/customers/..%5ccustomers',
  '/ops/customers\\C-1\\communications',
  '/ops\\customers',
  '/ops/customers/C-1\\..\\communications',
  '/ops/customers/%5c..%5c',
  '//ops/customers',
  '/ops//customers',
  '/ops/customers//communications',
  '/ops/customers/',
  '/ops/customers/C-1/communications/',
  '/OPS/customers',
  '/Ops/Customers',
  '/ops/CUSTOMERS',
  '/%6fps/customers',
  '/ops/%63ustomers',
  '/ops/customers/C-1%00',
  '/ops/customers/C-1%0a',
  '/ops/customers/%252e%252e/customers',
  '/ops/customers/C-1%252fcommunications',
  '/ops/customers/%',
  '/ops/customers/%zz',
  '/ops/customers/%c0%ae%c0%ae/customers',
  '/ops/customers/%ff',
  '/ops/customers/C-1#/communications',
  '/ops/customers#',
  '/ops/customers;x=/../customers',
  '/ops/customers/C-1/communications;/',
  '/ops/customers?q=1#/../..',
  '*',
  'http://elsewhere.example/ops/customers',
])('%s reaches no service', async (path) => {
  const answer = await ask(gateway.port, path, { headers: bearer(await issuer.token({ roles: ['admin'] })) });
  expect(answer.status).toBe(404);
  expect(answer.json).toMatchObject({ status: 404, code: 'not_found' });
  for (const service of Object.values(gateway.services)) expect(service.seen).toHaveLength(0);
});

test.each(['/ops/customers/C-1\u00a0', '/ops/customers/\u00e9', 'ops/customers'])(
  '%s is not even HTTP',
  async (path) => {
    const answer = await ask(gateway.port, path, { headers: bearer(await issuer.token({ roles: ['admin'] })) });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ status: 400, code: 'malformed_request' });
  },
);

test.each([
  '/ops/customers/A.b_c:d-1',
  '/ops/customers/C%3A1001',
  '/ops/customers/..hidden',
  '/ops/customers?query=%2e%2e%2f%5c&cursor=a/../b//c',
  "/ops/customers?query='%22(){}[]|\\^~",
])('%s reaches its service exactly as it was written', async (path) => {
  const answer = await ask(gateway.port, path, { headers: bearer(await issuer.token({ roles: ['admin'] })) });
  expect(answer.status).toBe(200);
  expect(answer.json.url).toBe(path);
});
