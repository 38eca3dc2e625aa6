import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { type System, sharedSystem } from '@ops/test-system/system';

let system: System;
beforeAll(async () => {
  system = await sharedSystem('postgres');
  await (await system.client('staff')).put('/ops/customers/C-trust', { name: 'Demo Customer' });
});
afterAll(() => system?.stop());

test('a forged identity header beside a valid token changes nothing', async () => {
  const customer = await system.client('customer', 'C-trust');
  const forged = { 'x-ops-identity': 'forged', 'x-user-id': 'admin', 'x-role': 'admin', x_ops_identity: 'forged' };
  const answer = await customer.get('/ops/customers', { headers: forged });
  expect(answer.status).toBe(403);
  const own = await customer.get('/ops/customers/C-trust/communications', { headers: forged });
  expect(own.status).toBe(200);
});

test.each(['none', 'a forged token', 'a token of the front door'])(
  'straight at a service with %s is 401',
  async (kind) => {
    const headers: Record<string, Record<string, string>> = {
      none: {},
      'a forged token': { 'x-ops-identity': 'eyJhbGciOiJub25lIn0.e30.' },
      'a token of the front door': {
        'x-ops-identity': await system.token('admin'),
        authorization: `Bearer ${await system.token('admin')}`,
      },
    };
    for (const name of serviceNames) {
      const path = name === 'comms-service' ? '/ops/customers' : `/ops/services/${name}/dead-letters`;
      const answer = await fetch(system.serviceUrl(name) + path, { headers: headers[kind] ?? {} });
      expect(answer.status).toBe(401);
    }
  },
);

test('one service cannot read another service’s tables', async () => {
  await expect(system.database('renewals').raw('SELECT * FROM comms.communications')).rejects.toThrow(
    /permission denied/,
  );
  await expect(system.database('notifier').raw('SELECT * FROM comms.customers')).rejects.toThrow(/permission denied/);
});
