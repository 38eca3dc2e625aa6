import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { RenewalStanding } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Agent, Task } from '@ops/contracts/resources/task';
import { carriedOut } from '@ops/service-kit/test/plans';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { cardOf } from '../../test/alerts.ts';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';
import type { Deps } from '../deps.ts';
import { listTasks } from './task-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  await emptyTables(service.db, 'tasks', 'agents', 'outbox');
  await service.db('agents').insert(['a', 'b'].map((id) => ({ id, name: id, updated_at: new Date() })));
  service.customers([cardOf()]);
  service.renewals({});
});

const post = async (given: object = {}) =>
  (await service.post<Task>(staff, '/ops/tasks', { customer_id: 'C-1', title: 'Call', ...given })).body;
const patch = <T = Task>(id: string, body: object, tag?: string) =>
  service.patch<T>(staff, `/ops/tasks/${id}`, body, tag === undefined ? {} : { 'If-Match': tag });
const list = async (query = '') => (await service.get<Page<Task>>(staff, `/ops/tasks${query}`)).body;
const titles = async (query?: string) => (await list(query)).data.map(({ title }) => title);
const told = async () =>
  (await service.db('outbox').where({ type: 'task.changed' }).orderBy('id')).map(({ event }) => event);

test('a task is made, and told of without its words', async () => {
  const { status, body } = await service.post<Task>(staff, '/ops/tasks', {
    customer_id: 'C-1',
    title: 'Ask for the old permit',
    notes: 'By phone',
    due_date: '2026-04-01',
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    customer_id: 'C-1',
    title: 'Ask for the old permit',
    notes: 'By phone',
    due_date: '2026-04-01',
    priority: 'NORMAL',
    status: 'OPEN',
    rung: null,
    renewal_id: null,
    assigned_agent: null,
    version: 1,
    created_by: 'agent-1',
    closed_because: null,
    closed_at: null,
  });
  const [{ data }] = await told();
  expect(data).toMatchObject({ task_id: body.id, status: 'OPEN', version: 1 });
  expect(JSON.stringify(data)).not.toMatch(/old permit|By phone/);
});

test('for a customer nobody knows there is none; while nobody can be asked, none either', async () => {
  service.customers([]);
  const unknown = await service.post<Problem>(staff, '/ops/tasks', { customer_id: 'C-9', title: 'x' });
  expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([422, 'customer_id']);
  service.customers('away');
  const away = await service.post(staff, '/ops/tasks', { customer_id: 'C-1', title: 'x' });
  expect([away.status, away.headers.get('Retry-After')]).toEqual([503, '2']);
  expect(await list()).toEqual({ data: [], next_cursor: null });
});

const renewalOf = (given: Partial<RenewalStanding> = {}): RenewalStanding => ({
  customer_id: 'C-1',
  due_date: '2026-03-31',
  status: 'UPCOMING',
  reminders: 'on',
  hold: null,
  assigned_agent: null,
  version: 1,
  ...given,
});

/** One that notifier was told of. */
async function followed(given: Partial<RenewalStanding> = {}): Promise<string> {
  const renewal_id = uuidv7();
  await service.db('followed_renewals').insert({ renewal_id, ...renewalOf(given) });
  return renewal_id;
}

test('a renewal of somebody else is refused, whether notifier was told of it or has to ask', async () => {
  const [told, untold] = [await followed({ customer_id: 'C-2' }), uuidv7()];
  service.renewals({ [untold]: renewalOf({ customer_id: 'C-2' }) });
  for (const renewal_id of [told, untold]) {
    const body = { customer_id: 'C-1', title: 'x', renewal_id };
    const refused = await service.post<Problem>(staff, '/ops/tasks', body);
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, 'renewal_id']);
  }
});

test('a renewal nobody knows is refused; while nobody can be asked, the task waits', async () => {
  const renewal_id = uuidv7();
  const body = { customer_id: 'C-1', title: 'x', renewal_id };
  const unknown = await service.post<Problem>(staff, '/ops/tasks', body);
  expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([422, 'renewal_id']);
  service.renewals('away');
  const away = await service.post(staff, '/ops/tasks', body);
  expect([away.status, away.headers.get('Retry-After')]).toEqual([503, '2']);
  expect(await list()).toEqual({ data: [], next_cursor: null });
  expect(await service.db('followed_renewals').where({ renewal_id })).toEqual([]);
});

test('a renewal that was made a moment ago, or is over, has its task: staff know what they ask for', async () => {
  const [made, over] = [uuidv7(), uuidv7()];
  service.renewals({
    [made]: renewalOf({ assigned_agent: 'b' }),
    [over]: renewalOf({ status: 'COMPLETED', version: 3 }),
  });
  for (const renewal_id of [made, over])
    expect(await post({ renewal_id })).toMatchObject({ renewal_id, status: 'OPEN' });
  expect(await service.db('followed_renewals').where({ renewal_id: made })).toEqual([
    { renewal_id: made, written_under: null, ...renewalOf({ assigned_agent: 'b' }) },
  ]);
});

test('the most urgent first, then by date, those without one last, closed ones after all', async () => {
  await post({ title: 'someday' });
  await post({ title: 'urgent, later', priority: 'URGENT', due_date: '2026-05-01' });
  await post({ title: 'high', priority: 'HIGH', due_date: '2026-03-01' });
  await post({ title: 'urgent', priority: 'URGENT', due_date: '2026-04-01' });
  await post({ title: 'normal', due_date: '2020-01-01' });
  const { id } = await post({ title: 'done', priority: 'URGENT', due_date: '2019-01-01' });
  await patch(id, { status: 'DONE' });
  const all = ['urgent', 'urgent, later', 'high', 'normal', 'someday', 'done'];
  expect(await titles()).toEqual(all);
  const pages: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page<Task> = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
    pages.push(...page.data.map(({ title }) => title));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(all);
});

test('filtered by status, priority, agent, nobody, customer and renewal', async () => {
  service.customers([cardOf(), cardOf({ id: 'C-2' })]);
  const renewal_id = await followed({ customer_id: 'C-2' });
  await post({ title: 'one', priority: 'HIGH', assigned_agent: 'a' });
  await post({ title: 'two', customer_id: 'C-2', renewal_id });
  const { id } = await post({ title: 'three', assigned_agent: 'b' });
  await patch(id, { status: 'CANCELLED' });
  expect(await titles('?status=CANCELLED')).toEqual(['three']);
  expect(await titles('?status=OPEN&priority=HIGH')).toEqual(['one']);
  expect(await titles('?assigned_agent=b')).toEqual(['three']);
  expect(await titles('?assigned_agent=')).toEqual(['two']);
  expect(await titles('?customer_id=C-2')).toEqual(['two']);
  expect(await titles(`?renewal_id=${renewal_id}`)).toEqual(['two']);
});

test.each(['WzEsMSwxXQ', 'WzAsMCwwLCJ4Il0', 'x', 'WzllMTUsMCwwLCIwMTk3YTNmMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiXQ'])(
  'a cursor of another list is no error of ours: %s',
  async (cursor) => {
    expect([200, 422]).toContain((await service.get(staff, `/ops/tasks?cursor=${cursor}`)).status);
  },
);

test('changed against the version that was read, closed and opened again', async () => {
  const { id } = await post();
  expect((await patch(id, { title: 'x' }, '"7"')).status).toBe(412);
  const closed = await patch(id, { status: 'DONE', notes: 'Called' }, '"1"');
  expect(closed.body).toMatchObject({ status: 'DONE', notes: 'Called', closed_because: 'done', version: 2 });
  expect(closed.headers.get('ETag')).toBe('"2"');
  expect((await patch(id, { status: 'DONE' })).body).toEqual(closed.body);
  expect((await patch(id, { status: 'OPEN' })).body).toMatchObject({
    status: 'OPEN',
    closed_at: null,
    closed_because: null,
  });
  expect((await told()).map(({ data }) => data.version)).toEqual([1, 2, 3]);
  expect((await patch(uuidv7(), { title: 'x' })).status).toBe(404);
});

test('one task is read as it is by now, closed or not', async () => {
  const { id } = await post();
  const closed = await patch(id, { status: 'CANCELLED' });
  const read = await service.get<Task>(staff, `/ops/tasks/${id}`);
  expect([read.body, read.headers.get('ETag')]).toEqual([closed.body, '"2"']);
  expect((await service.get(staff, `/ops/tasks/${uuidv7()}`)).status).toBe(404);
});

test('a closed task of an alert does not open beside another of its renewal', async () => {
  const renewal_id = await followed();
  const { id } = await post({ renewal_id });
  await service.db('tasks').where({ id }).update({ rung: '7', alerted_date: '2026-03-31' });
  await patch(id, { status: 'DONE' });
  const { id: other } = await post({ renewal_id });
  await service.db('tasks').where({ id: other }).update({ rung: 'OVERDUE', alerted_date: '2026-03-31' });
  expect((await patch(id, { status: 'OPEN' })).status).toBe(409);
  await patch(other, { status: 'CANCELLED' });
  expect((await patch(id, { status: 'OPEN' })).status).toBe(200);
});

test('agents are described, and away until a day', async () => {
  const path = '/ops/agents/agent-7';
  expect((await service.put(staff, path, { name: 'Eve', absent_until: '2026-02-30' })).status).toBe(422);
  const created = await service.put<Agent>(staff, path, { name: 'Eve Demo', email: 'eve@example.com' });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ id: 'agent-7', name: 'Eve Demo', absent_until: null, version: 1 });
  expect((await service.put(admin, path, { name: 'Eve' }, { 'If-Match': '"9"' })).status).toBe(412);
  const away = await service.put<Agent>(
    admin,
    path,
    { name: 'Eve Demo', absent_until: '2026-04-01' },
    { 'If-Match': '"1"' },
  );
  expect([away.status, away.body]).toMatchObject([200, { email: null, absent_until: '2026-04-01', version: 2 }]);
  expect((await service.get<{ data: Agent[] }>(staff, '/ops/agents')).body.data).toContainEqual(away.body);
});

test('tasks are found by words of their titles and notes, in whatever form they are typed', async () => {
  await post({ title: 'Ask for the Führerschein', notes: 'A copy is enough' });
  await post({ title: 'Ask for the permit' });
  expect(await titles('?q=fuhrer')).toEqual(['Ask for the Führerschein']);
  expect(await titles('?q=COPY%20ask')).toEqual(['Ask for the Führerschein']);
  expect(await titles('?q=ask&status=OPEN')).toHaveLength(2);
  expect(await titles('?q=visa')).toEqual([]);
  expect(await titles('?q=--')).toEqual([]);
});

test('by an index, of which little is read when few have them', async () => {
  await service.db.raw(
    `INSERT INTO tasks (id, customer_id, title, priority, status, created_at, updated_at)
     SELECT gen_random_uuid(), 'C-1', 'Call about ' || n, 'NORMAL', 'OPEN', now(), now() FROM generate_series(1, 3000) n`,
  );
  await service.db.raw('ANALYZE tasks');
  const { db } = service;
  const nodes = await carriedOut(db, () =>
    listTasks({ today: () => '2026-03-01' } as Deps, db, { q: '2999', limit: 50 }),
  );
  expect(nodes.map((node) => node['Index Name'])).toContain('tasks_by_words');
});
