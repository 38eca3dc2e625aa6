import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Customer, CustomerAssignments } from '@ops/contracts/resources/customer';
import type { HandedOver } from '@ops/contracts/resources/hand-over';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.db('agents').insert({ id: 'agent-2', name: 'agent-2', version: 1 });
});
afterAll(() => service.close());
beforeEach(() => emptyTables(service.db, 'customers', 'outbox'));

const put = (id: string, more: object = {}) =>
  service.put(staff, `/ops/customers/${id}`, { name: 'Ada Demo', ...more });
const get = async (id: string) => (await service.get<Customer>(staff, `/ops/customers/${id}`)).body;
const assign = async (customer_ids: string[], assigned_agent: string | null) =>
  service.post<CustomerAssignments>(staff, '/ops/customers/assign', { customer_ids, assigned_agent });
const outcomes = ({ body }: { body: CustomerAssignments }) => body.data.map(({ outcome }) => outcome);
const handOver = async (from: string, assigned_agent: string | null, query = '') =>
  (await service.post<HandedOver>(staff, `/ops/customers/hand-over${query}`, { from, assigned_agent })).body;
const told = () => service.db('outbox').where({ type: 'customer.changed' });

test('several customers are given to an agent, each with its outcome, told of and written down; again changes nothing', async () => {
  await put('C-1', { phones: ['+447700900001'] });
  await put('C-2', { assigned_agent: 'agent-2' });
  const ids = ['C-1', 'C-2', 'C-1', 'C-9'];
  const before = (await told()).length;
  expect(outcomes(await assign(ids, 'agent-2'))).toEqual(['assigned', 'unchanged', 'not_found']);
  expect(await get('C-1')).toMatchObject({ assigned_agent: 'agent-2', phones: ['+447700900001'], version: 2 });
  expect(await get('C-2')).toMatchObject({ version: 1 });
  expect(await told()).toHaveLength(before + 1);
  expect(outcomes(await assign(ids, 'agent-2'))).toEqual(['unchanged', 'unchanged', 'not_found']);
  expect(await told()).toHaveLength(before + 1);
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/customers/C-1/history');
  expect(body.data[0]).toMatchObject({
    actor: 'agent-1',
    action: 'assignCustomers',
    changes: [{ field: 'assigned_agent', old: null, new: 'agent-2' }],
  });
});

test('somebody nobody knows is given no customer', async () => {
  await put('C-1');
  await service.db('agents').where({ id: 'agent-gone' }).delete();
  const { status } = await service.post<Problem>(staff, '/ops/customers/assign', {
    customer_ids: ['C-1'],
    assigned_agent: 'agent-gone',
  });
  // Who is an agent notifier alone can say, and here it is away.
  expect(status).toBe(503);
  expect((await get('C-1')).assigned_agent).toBeNull();
});

test('all customers of one agent go to another, however often it is asked for and by how many at once', async () => {
  for (const n of [1, 2, 3]) await put(`C-${n}`, { assigned_agent: 'agent-1' });
  await put('C-4', { assigned_agent: 'agent-2' });
  expect(await handOver('agent-1', 'agent-2', '?dry_run=true')).toEqual({ handed_over: 0, left: 3 });
  const both = await Promise.all([handOver('agent-1', 'agent-2'), handOver('agent-1', 'agent-2')]);
  expect(both.map(({ handed_over }) => handed_over).toSorted()).toEqual([0, 3]);
  for (const n of [1, 2, 3]) expect(await get(`C-${n}`)).toMatchObject({ assigned_agent: 'agent-2', version: 2 });
  expect((await get('C-4')).version).toBe(1);
  expect(await handOver('agent-1', null)).toEqual({ handed_over: 0, left: 0 });
});
