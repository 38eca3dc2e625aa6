import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { HandedOver } from '@ops/contracts/resources/hand-over';
import type { Task, TaskOutcomes } from '@ops/contracts/resources/task';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { cardOf } from '../../test/alerts.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  await emptyTables(service.db, 'tasks', 'agents', 'outbox');
  await service.db('agents').insert(['a', 'b'].map((id) => ({ id, name: id, updated_at: new Date() })));
  service.customers([cardOf()]);
});

const create = async (given: object = {}) =>
  (await service.post<Task>(staff, '/ops/tasks', { customer_id: 'C-1', title: 'Call', ...given })).body;
const get = async (id: string) => (await service.get<Task>(staff, `/ops/tasks/${id}`)).body;
const assign = (task_ids: string[], assigned_agent: string | null) =>
  service.post<TaskOutcomes>(staff, '/ops/tasks/assign', { task_ids, assigned_agent });
const handOver = async (from: string, assigned_agent: string | null, query = '') =>
  (await service.post<HandedOver>(staff, `/ops/tasks/hand-over${query}`, { from, assigned_agent })).body;
const outcomes = ({ body }: { body: TaskOutcomes }) => body.data.map(({ outcome }) => outcome);
const events = () => service.db('outbox').where({ type: 'task.changed' });

test('several tasks are given to an agent, each with its outcome; again changes nothing', async () => {
  const [one, other, done] = [await create(), await create(), await create()];
  await service.patch(staff, `/ops/tasks/${done.id}`, { status: 'DONE' });
  const ids = [one.id, other.id.toUpperCase(), other.id, done.id, uuidv7()];
  expect(outcomes(await assign(ids, 'a'))).toEqual(['assigned', 'assigned', 'closed', 'not_found']);
  expect(await get(one.id)).toMatchObject({ assigned_agent: 'a', responsible_agent: 'a', version: 2 });
  expect((await get(done.id)).assigned_agent).toBeNull();
  const told = (await events()).length;
  expect(outcomes(await assign(ids, 'a'))).toEqual(['unchanged', 'unchanged', 'closed', 'not_found']);
  expect(await events()).toHaveLength(told);
  expect((await get(one.id)).version).toBe(2);
  expect(outcomes(await assign([one.id], null))).toEqual(['assigned']);
  expect((await get(one.id)).assigned_agent).toBeNull();
  const { body } = await service.get<Page<AuditEntry>>(staff, `/ops/tasks/${one.id}/history`);
  expect(body.data.slice(0, 2).map(({ actor, action, changes }) => [actor, action, changes])).toEqual([
    ['agent-1', 'assignTasks', [{ field: 'assigned_agent', old: 'a', new: null }]],
    ['agent-1', 'assignTasks', [{ field: 'assigned_agent', old: null, new: 'a' }]],
  ]);
});

test('somebody nobody knows is given nothing, nor anything of none', async () => {
  const { id } = await create();
  const { status, body } = await service.post<Problem>(staff, '/ops/tasks/assign', {
    task_ids: [id],
    assigned_agent: 'nobody-knows',
  });
  expect(status).toBe(422);
  expect(body.errors).toEqual([{ path: 'assigned_agent', message: 'is not a known agent' }]);
  expect((await assign([], 'a')).status).toBe(422);
});

test('several are given a day, or none', async () => {
  const [one, other] = [await create(), await create({ due_date: '2026-05-01' })];
  const date = (due_date: string | null) =>
    service.post<TaskOutcomes>(staff, '/ops/tasks/due-date', { task_ids: [one.id, other.id], due_date });
  expect(outcomes(await date('2026-05-01'))).toEqual(['changed', 'unchanged']);
  expect((await get(one.id)).due_date).toBe('2026-05-01');
  expect(outcomes(await date(null))).toEqual(['changed', 'changed']);
  expect((await get(other.id)).due_date).toBeNull();
});

test('what is due by a day is listed, and nothing without one', async () => {
  await create({ title: 'Late', due_date: '2026-04-01' });
  await create({ title: 'Then', due_date: '2026-05-01' });
  await create({ title: 'Later', due_date: '2026-05-02' });
  await create({ title: 'Some day' });
  const { body } = await service.get<Page<Task>>(staff, '/ops/tasks?due_to=2026-05-01&status=OPEN');
  expect(body.data.map(({ title }) => title)).toEqual(['Late', 'Then']);
});

test('all that one agent was given goes to another, and is counted before and after', async () => {
  for (let n = 0; n < 3; n++) await create({ assigned_agent: 'a' });
  const theirs = await create({ assigned_agent: 'b' });
  const done = await create({ assigned_agent: 'a' });
  await service.patch(staff, `/ops/tasks/${done.id}`, { status: 'DONE' });
  expect(await handOver('a', 'b', '?dry_run=true')).toEqual({ handed_over: 0, left: 3 });
  const both = await Promise.all([handOver('a', 'b'), handOver('a', 'b')]);
  expect(both.map(({ handed_over }) => handed_over).toSorted()).toEqual([0, 3]);
  expect(await handOver('a', 'b')).toEqual({ handed_over: 0, left: 0 });
  expect((await get(theirs.id)).version).toBe(1);
  expect((await get(done.id)).assigned_agent).toBe('a');
  const { status } = await service.post(staff, '/ops/tasks/hand-over', { from: 'a', assigned_agent: 'a' });
  expect(status).toBe(422);
});

test('more than go at once are handed over one portion after the other', async () => {
  await service.db.raw(
    `INSERT INTO tasks (id, customer_id, title, priority, status, assigned_agent, created_at, updated_at)
     SELECT gen_random_uuid(), 'C-1', 'Call', 'NORMAL', 'OPEN', 'a', now(), now() FROM generate_series(1, 250)`,
  );
  expect(await handOver('a', null)).toEqual({ handed_over: 200, left: 50 });
  expect(await handOver('a', null)).toEqual({ handed_over: 50, left: 0 });
});

test('an alert’s task that went by itself is left to go where its renewal goes', async () => {
  const { id } = await create({ assigned_agent: 'a' });
  const renewal_id = uuidv7();
  await service.db('tasks').where({ id }).update({ renewal_id, rung: '14', alerted_date: '2026-05-01', given_to: 'a' });
  expect(await handOver('a', 'b', '?dry_run=true')).toEqual({ handed_over: 0, left: 0 });
});
