import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { roles } from '@ops/contracts/roles';
import { type System, sharedSystem } from '@ops/test-system/system';
import { samples } from './samples.ts';

const customerId = 'C-roles';
let system: System;

beforeAll(async () => {
  system = await sharedSystem('postgres');
  await (await system.client('staff')).put(`/ops/customers/${customerId}`, { name: 'Demo Customer' });
});
afterAll(() => system?.stop());

const table = samples(customerId);

test.each(table)('$spec.method $spec.path without a token is 401', async ({ spec, path, body }) => {
  const answer = await system.anonymous().request(spec.method, path, { body });
  expect(answer.status).toBe(401);
});

const cells = table.flatMap((sample) =>
  roles.map((role) => ({ ...sample, role, allowed: sample.spec.roles.includes(role) })),
);

test.each(cells)('$role may call $spec.method $spec.path: $allowed', async ({ role, allowed, spec, path, body }) => {
  const client = await system.client(role, role === 'customer' ? customerId : undefined);
  const answer = await client.request(spec.method, path, { body, headersOnly: spec.mediaType !== undefined });
  if (allowed) expect([401, 403]).not.toContain(answer.status);
  else expect(answer.status).toBe(403);
});

test('a customer reads its own communications and nobody else’s, known or not', async () => {
  const client = await system.client('customer', 'C-another');
  for (const id of [customerId, 'C-unknown'])
    expect((await client.get(`/ops/customers/${id}/communications`)).status).toBe(403);
});
