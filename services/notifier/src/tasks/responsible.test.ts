import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createOutbox } from '@ops/bus/outbox';
import type { EventData } from '@ops/contracts/events';
import { internalRoutes } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Agent, Task } from '@ops/contracts/resources/task';
import { rows } from '@ops/service-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { type Changed, cardOf, changed, changedEvent, triggered, triggeredEvent } from '../../test/alerts.ts';
import { eventOf } from '../../test/desk.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { figures } from '../figures.ts';
import { tellUntold } from './agent-service.ts';
import { catchUpWithCustomers, tellUntold as tellUntoldTasks } from './task-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  const followed = ['followed_renewals', 'followed_customers', 'customer_aliases'];
  await emptyTables(service.db, 'alert_actions', ...followed, 'tasks', 'agents', 'outbox');
  service.customers([cardOf({ assigned_agent: 'ada' })]);
  for (const id of ['ada', 'bob', 'cleo']) await describeAs(id);
});

const far = '2199-12-31';
const describeAs = async (id: string, more: object = {}) =>
  (await service.put<Agent>(staff, `/ops/agents/${id}`, { name: id, ...more })).body;
const tasks = async (query = '') => (await service.get<Page<Task>>(staff, `/ops/tasks${query}`)).body.data;
const post = async (more: object = {}) =>
  (await service.post<Task>(staff, '/ops/tasks', { customer_id: 'C-1', title: 'Call', ...more })).body;
const refusal = ({ status, body }: { status: number; body: Problem }) => [status, body.errors?.[0]?.path];
const agentNews = async (): Promise<EventData<'agent.changed'>[]> =>
  (await service.events()).filter(({ type }) => type === 'agent.changed').map(({ data }) => data as never);

const { id: _, ...card } = cardOf();
const customerTold = (assigned_agent: string | null, version: number) =>
  eventOf('customer.changed', 'C-1', {
    ...card,
    customer_id: 'C-1',
    assigned_agent,
    archived_at: null,
    version,
    occurred_at: '2026-03-01T09:00:00.000Z',
  });

test('an agent nobody knows is given nothing, and is nobody’s deputy; what an old task holds may stay', async () => {
  const create = { customer_id: 'C-1', title: 'Call', assigned_agent: 'ghost' };
  expect(refusal(await service.post<Problem>(staff, '/ops/tasks', create))).toEqual([422, 'assigned_agent']);
  const { id } = await post();
  const give = (assigned_agent: string) =>
    service.patch<Task & Problem>(staff, `/ops/tasks/${id}`, { assigned_agent, title: 'Call again' });
  expect(refusal(await give('ghost'))).toEqual([422, 'assigned_agent']);
  await service.db('tasks').where({ id }).update({ assigned_agent: 'ghost' });
  expect((await give('ghost')).body).toMatchObject({ assigned_agent: 'ghost', responsible_agent: null });
  for (const deputy of ['ghost', 'ada'])
    expect(refusal(await service.put<Problem>(staff, '/ops/agents/ada', { name: 'Ada', deputy }))).toEqual([
      422,
      'deputy',
    ]);
});

test('tasks of an id that turned out to be another’s are theirs, once that is heard', async () => {
  service.customers([cardOf(), cardOf({ id: 'C-2' })]);
  const { id } = await post();
  const merged = { customer_id: 'C-1', into: 'C-2', version: 1, occurred_at: '2026-03-01T09:00:00.000Z' };
  await service.bus.publish([{ event: eventOf('customer.merged', 'C-1', merged) }]);
  await eventually(async () => expect(await tasks('?customer_id=C-2')).toMatchObject([{ id, customer_id: 'C-2' }]));
  expect(await tasks('?customer_id=C-1')).toEqual(await tasks('?customer_id=C-2'));
});

test('whoever is responsible is shown and asked for: whom a person gave it to, else the customer’s agent', async () => {
  const [own, given] = [await post(), await post({ assigned_agent: 'bob' })];
  expect([own.responsible_agent, given.responsible_agent]).toEqual(['ada', 'bob']);
  expect(own.assigned_agent).toBeNull();
  expect(await tasks('?assigned_agent=ada')).toEqual([own]);
  expect(await tasks('?assigned_agent=bob')).toEqual([given]);
  expect(await tasks('?assigned_agent=')).toEqual([]);
});

test('an absent agent’s are their deputy’s, without one nobody’s, and theirs again when they are back', async () => {
  const { id } = await post({ assigned_agent: 'bob' });
  const { id: mine } = await post({ assigned_agent: 'cleo' });
  const asked = async (agent: string) => (await tasks(`?assigned_agent=${agent}`)).map((task) => task.id);
  await describeAs('bob', { absent_until: far, deputy: 'cleo' });
  expect(await tasks(`?assigned_agent=cleo`)).toMatchObject([
    { id, assigned_agent: 'bob', responsible_agent: 'cleo', version: 1 },
    { id: mine },
  ]);
  expect(await asked('bob')).toEqual([]);
  await describeAs('cleo', { absent_until: far, deputy: 'ada' });
  expect(await asked('')).toEqual([id]);
  expect(await asked('ada')).toEqual([mine]);
  const open = figures.find(({ name }) => name === 'tasks_open')?.sql ?? '';
  expect(await rows(service.db, `${open} ORDER BY 2`, {})).toEqual([
    { priority: 'NORMAL', assigned: false, value: '1' },
    { priority: 'NORMAL', assigned: true, value: '1' },
  ]);
  await describeAs('bob', { absent_until: '2026-01-31', deputy: 'cleo' });
  expect(await asked('bob')).toEqual([id]);
});

test('what is done or cancelled stays with whoever had it, absent or not', async () => {
  const [done, cancelled] = [await post({ assigned_agent: 'bob' }), await post({ assigned_agent: 'bob' })];
  const { id: open } = await post({ assigned_agent: 'bob' });
  await service.patch(staff, `/ops/tasks/${done.id}`, { status: 'DONE' });
  await service.patch(staff, `/ops/tasks/${cancelled.id}`, { status: 'CANCELLED' });
  await describeAs('bob', { absent_until: far, deputy: 'cleo' });
  const asked = async (query: string) => new Set((await tasks(query)).map((task) => task.id));
  const closed = [done.id, cancelled.id];
  expect(await asked('?assigned_agent=bob')).toEqual(new Set(closed));
  expect(await asked('?assigned_agent=cleo')).toEqual(new Set([open]));
  expect(await asked('?assigned_agent=bob&status=DONE')).toEqual(new Set([done.id]));
  expect(await asked('?assigned_agent=cleo&status=DONE')).toEqual(new Set());
  expect(await asked('?assigned_agent=cleo&status=OPEN')).toEqual(new Set([open]));
  for (const id of closed)
    expect((await service.get<Task>(staff, `/ops/tasks/${id}`)).body).toMatchObject({ responsible_agent: 'bob' });
  await describeAs('bob', { absent_until: far });
  expect(await asked('?assigned_agent=')).toEqual(new Set([open]));
});

test('the agent of its customer or its renewal changes: open tasks go along, what a person gave away stays', async () => {
  const alert = triggered({ rung: '14', version: 1 });
  await service.bus.publish([{ event: triggeredEvent(alert) }]);
  await eventually(async () => expect(await tasks()).toMatchObject([{ rung: '14', responsible_agent: 'ada' }]));
  const [byAlert] = await tasks();
  const [own, given] = [await post(), await post({ assigned_agent: 'cleo' })];
  const done = await post();
  await service.patch(staff, `/ops/tasks/${done.id}`, { status: 'DONE' });
  const whose = async () =>
    Object.fromEntries((await tasks()).map(({ id, responsible_agent }) => [id, responsible_agent]));
  const standing = (agents: [string | null, string | null, string | null]) => ({
    [byAlert?.id ?? '']: agents[0],
    [own.id]: agents[1],
    [given.id]: agents[2],
  });
  await service.forgetEvents();
  // The older one comes late.
  await service.bus.publish([{ event: customerTold('bob', 3) }, { event: customerTold('cleo', 2) }]);
  await eventually(async () => expect(await whose()).toMatchObject(standing(['bob', 'bob', 'cleo'])));
  const news = (await service.events()).filter(({ type }) => type === 'task.changed').map(({ data }) => data.task_id);
  expect(news.toSorted()).toEqual([byAlert?.id, own.id].toSorted());
  const handed: Changed = changed(alert, { assigned_agent: 'cleo', version: 2 });
  await service.bus.publish([{ event: changedEvent(handed) }]);
  await eventually(async () => expect(await whose()).toMatchObject(standing(['cleo', 'bob', 'cleo'])));
  await service.bus.publish([{ event: changedEvent({ ...handed, assigned_agent: null, version: 3 }) }]);
  await service.bus.publish([{ event: customerTold(null, 4) }]);
  await eventually(async () => expect(await whose()).toMatchObject(standing([null, null, 'cleo'])));
  const reopened = await service.patch<Task>(staff, `/ops/tasks/${done.id}`, { status: 'OPEN' });
  expect(reopened.body).toMatchObject({ responsible_agent: null });
});

test('customers from before anybody followed them are asked for, until nobody is left to ask for', async () => {
  const { id } = await post();
  await service.db('tasks').update({ customer_agent: null });
  const cards = [cardOf({ assigned_agent: 'bob', version: 7 })];
  const asked: string[][] = [];
  const comms = {
    cards: async (ids: readonly string[]) => {
      asked.push([...ids]);
      return cards;
    },
  };
  const deps = { comms, outbox: createOutbox('notifier'), now: () => new Date() } as never;
  await service.db('followed_customers').insert({ customer_id: 'C-0' });
  for (let turn = 0; turn < 2; turn++) await catchUpWithCustomers(deps, service.db);
  expect(asked).toEqual([['C-0', 'C-1']]);
  expect(await service.db('followed_customers').orderBy('customer_id')).toEqual([
    { customer_id: 'C-0', assigned_agent: null, version: 0 },
    { customer_id: 'C-1', assigned_agent: 'bob', version: 7 },
  ]);
  expect(await tasks()).toMatchObject([{ id, responsible_agent: 'bob' }]);
});

test('agents are told of when they change, and once those that nobody was told of', async () => {
  await service.forgetEvents();
  await describeAs('ada');
  expect(await agentNews()).toEqual([]);
  const { updated_at: occurred_at } = await describeAs('ada', { deputy: 'bob', absent_until: far });
  const told = { agent_id: 'ada', name: 'ada', deputy: 'bob', absent_until: far, version: 2, occurred_at };
  expect(await agentNews()).toEqual([told]);
  await service.db('agents').where({ id: 'ada' }).update({ told: 0 });
  for (let turn = 0; turn < 2; turn++) await tellUntold({ outbox: createOutbox('notifier') }, service.db);
  expect(await agentNews()).toEqual([told, told]);
});

test('tasks that are open are told of once after an upgrade, and again of what the version before changes since', async () => {
  const [open, done] = [await post(), await post()];
  await service.patch(staff, `/ops/tasks/${done.id}`, { status: 'DONE' });
  await service.db('tasks').update({ told: 0 });
  await service.forgetEvents();
  const tell = async () => {
    for (let turn = 0; turn < 2; turn++) await tellUntoldTasks({ outbox: createOutbox('notifier') }, service.db);
    const told = (await service.events()).filter(({ type }) => type === 'task.changed');
    await service.forgetEvents();
    return told.map(({ data: { task_id, status, version } }) => [task_id, status, version]);
  };
  expect(await tell()).toEqual([[open.id, 'OPEN', 1]]);
  const closed = { status: 'DONE', closed_at: new Date(), version: 2 };
  await service.db('tasks').where({ id: open.id }).update(closed);
  expect(await tell()).toEqual([[open.id, 'DONE', 2]]);
  // What this version changes is told of with it.
  await service.patch(staff, `/ops/tasks/${open.id}`, { status: 'OPEN' });
  expect(await tell()).toEqual([[open.id, 'OPEN', 3]]);
});

test('who signs in is an agent from then on, as somebody described them; others may ask who is one', async () => {
  await describeAs('ada', { deputy: 'bob' });
  await service.forgetEvents();
  const { path } = internalRoutes.noteSignIn;
  for (const id of ['dora', 'ada', 'dora']) {
    const answer = await service.asked('gateway', path, { id, name: `${id} by her provider` });
    expect(answer.status).toBe(200);
  }
  expect((await service.asked('comms-service', path, { id: 'x', name: 'x' })).status).toBe(403);
  expect(await agentNews()).toMatchObject([{ agent_id: 'dora', name: 'dora by her provider', version: 1 }]);
  const known = await service.asked('comms-service', internalRoutes.readKnownAgents.path, { ids: ['ada', 'ghost'] });
  expect(await known.json()).toEqual({ data: ['ada'] });
  const all = await service.get<{ data: Agent[] }>(staff, '/ops/agents');
  expect(all.body.data.find(({ id }) => id === 'ada')).toMatchObject({ name: 'ada', deputy: 'bob' });
});
