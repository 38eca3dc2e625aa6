import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { consume, createDeliver } from '@ops/bus/consumer';
import type { EventData } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Agent, Task } from '@ops/contracts/resources/task';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { type Desk, eventOf, openDesk } from '../../test/desk.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { topology } from '../topology.ts';
import { tellMentioned } from './task-service.ts';

let desk: Desk;
let service: TestService;

beforeAll(async () => {
  [desk, service] = await Promise.all([openDesk(), startTestService()]);
});
afterAll(async () => {
  await desk.close();
  await service.close();
});
beforeEach(async () => {
  for (const { db } of [desk, service]) await emptyTables(db, 'tasks', 'agents', 'outbox', 'inbox');
  for (const [id, name, more] of [
    ['ada', 'Ada Admin', {}],
    ['bob', 'Bob Agent', {}],
    ['cleo', 'Cleo', { absent_until: '2199-12-31', deputy: 'bob' }],
  ] as const)
    await service.put<Agent>(staff, `/ops/agents/${id}`, { name, ...more });
});

type Mentioned = EventData<'note.mentioned'>;
const mentioned = (more: Partial<Mentioned> = {}) => {
  const about = { customer_id: 'C-1', communication_id: uuidv7(), mentioned_by: 'ada', agents: ['bob'] };
  return eventOf('note.mentioned', 'C-1', { ...about, occurred_at: '2026-03-01T10:00:00.000Z', ...more });
};
type Mention = ReturnType<typeof mentioned>;
const tasksOf = async (agent: string) =>
  (await service.get<Page<Task>>(staff, `/ops/tasks?assigned_agent=${agent}`)).body.data;

test('whoever is named gets one task that leads to the note, however often it is told', async () => {
  const mention = mentioned({ agents: ['bob', 'ghost'] });
  await service.bus.publish([{ event: mention }, { event: mention }]);
  const last = mentioned({ mentioned_by: 'nobody-known' });
  await service.bus.publish([{ event: mention }, { event: last }]);
  await eventually(async () => expect(await service.db('tasks')).toHaveLength(3));
  const [first, second] = (await tasksOf('bob')).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(first).toMatchObject({
    title: 'Ada Admin mentioned Bob Agent in a note',
    priority: 'NORMAL',
    status: 'OPEN',
    customer_id: 'C-1',
    renewal_id: null,
    communication_id: mention.data.communication_id,
    assigned_agent: 'bob',
    created_by: 'ada',
    rung: null,
  });
  expect(second?.title).toBe('nobody-known mentioned Bob Agent in a note');
  const told = (await service.events()).filter(({ type }) => type === 'task.changed');
  expect(told).toHaveLength(3);
  expect((await service.patch<Task>(staff, `/ops/tasks/${first?.id}`, { status: 'DONE' })).body).toMatchObject({
    closed_because: 'done',
  });
});

test('of somebody absent the deputy deals with it, and it stays theirs', async () => {
  await service.bus.publish([{ event: mentioned({ agents: ['cleo'] }) }]);
  await eventually(async () => expect(await tasksOf('bob')).toHaveLength(1));
  expect(await tasksOf('bob')).toMatchObject([{ assigned_agent: 'cleo', responsible_agent: 'bob' }]);
});

/** Which of six mentions come, some again, in what batches, and which tries fail half-way. */
const deliveries = fc.array(
  fc.record({ batch: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }), fails: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);

test('in whatever batches mentions come, again, at once or after a try that failed, each makes its tasks once', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async (all) => {
      await emptyTables(desk.db, 'tasks', 'outbox', 'inbox');
      const mentions = Array.from({ length: 6 }, (_, n) =>
        mentioned({ agents: ['bob', 'cleo'].slice(0, 1 + (n % 2)) }),
      );
      const deliver = ({ batch, fails }: { batch: number[]; fails: boolean }) =>
        createDeliver({
          ...consume(topology.queues.noteMentioned, async (trx, events) => {
            await tellMentioned(desk.deps, trx, events);
            if (fails) throw new Error('half-way');
          }),
          db: desk.db,
          logger: desk.deps.logger,
        })(batch.map((n) => ({ event: mentions[n] as Mention, attempt: 1 })));
      await Promise.all(all.map(deliver));
      const came = new Set(all.flatMap(({ batch, fails }) => (fails ? [] : batch)));
      const wanted = [...came].flatMap((n) =>
        (mentions[n] as Mention).data.agents.map(
          (agent) => `${(mentions[n] as Mention).data.communication_id} ${agent}`,
        ),
      );
      const made = await desk.db('tasks');
      expect(made.map((task) => `${task.communication_id} ${task.assigned_agent}`).sort()).toEqual(wanted.sort());
      expect(await desk.db('outbox')).toHaveLength(made.length);
    }),
    { seed: 20_261_125, numRuns: 8 },
  );
});
