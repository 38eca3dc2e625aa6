import { expect, test } from '@jest/globals';
import type { Task } from '@ops/contracts/resources/task';
import fc from 'fast-check';
import { assignee, handedOver, patched, raised, type Wanted, withRenewal } from './task.ts';

const task = {
  ...{ id: 'T-1', customer_id: 'C-1', renewal_id: 'R-1', title: 'Permit, due 2026-03-31', notes: null },
  ...{ priority: 'HIGH', status: 'OPEN', due_date: '2026-03-31', rung: '14', alerted_date: '2026-03-31' },
  ...{ assigned_agent: 'a', created_by: null, closed_because: null, version: 1, closed_at: null },
  ...{ created_at: '2026-03-17T02:00:00.000Z', updated_at: '2026-03-17T02:00:00.000Z' },
} as Task & { alerted_date: string | null };

const wanted: Wanted = {
  ...{ renewal_id: 'R-1', customer_id: 'C-1', due_date: '2026-03-31', rung: '7', priority: 'URGENT', title: 'x' },
  ...{ note: null, agents: ['a', 'b'] },
};
const at = '2026-03-20T10:00:00.000Z';

test.each([
  [['a', 'b'], [], 'a'],
  [['a', 'b'], ['a'], 'b'],
  [[null, 'b'], [], 'b'],
  [['a', 'b'], ['a', 'b'], null],
  [[null, undefined], [], null],
] as const)('of %j with %j away it goes to %s', (agents, absent, expected) => {
  expect(assignee(agents, new Set<string>(absent))).toBe(expected);
});

test.each([
  ['a tighter rung', {}, wanted, { priority: 'URGENT', rung: '7', assigned_agent: 'a' }],
  [
    'a looser one that comes late',
    { priority: 'URGENT', rung: 'OVERDUE' },
    wanted,
    { priority: 'URGENT', rung: 'OVERDUE' },
  ],
  ['one that staff made less urgent', { priority: 'NORMAL' }, { ...wanted, priority: 'HIGH' }, { priority: 'HIGH' }],
  ['whoever has it by now keeps it', { assigned_agent: 'z' }, wanted, { assigned_agent: 'z' }],
  ['nobody had it', { assigned_agent: null }, wanted, { assigned_agent: 'b' }, 'a'],
  ['who had it is away', {}, wanted, { assigned_agent: 'b' }, 'a'],
  ['what staff noted stays', { notes: 'Called' }, { ...wanted, note: 'No phone' }, { notes: 'Called\nNo phone' }],
  ['nothing is noted twice', { notes: 'No phone' }, { ...wanted, note: 'No phone' }, { notes: 'No phone' }],
] as [string, Partial<Task>, Wanted, object, string?][])('raised: %s', (_, given, by, expected, away = '') => {
  expect(raised({ ...task, ...given }, by, new Set([away]))).toMatchObject(expected);
});

test.each([
  ['closing', { status: 'OPEN' }, { status: 'DONE' }, { closed_at: at, closed_because: 'done' }],
  ['dropping', { status: 'OPEN' }, { status: 'CANCELLED' }, { closed_at: at, closed_because: 'cancelled' }],
  [
    'closing again',
    { status: 'DONE', closed_at: 'then', closed_because: 'done' },
    { status: 'DONE' },
    { closed_at: 'then' },
  ],
  [
    'opening',
    { status: 'DONE', closed_at: 'then', closed_because: 'done' },
    { status: 'OPEN' },
    { closed_at: null, closed_because: null },
  ],
  ['what is left out stays', {}, { notes: undefined, title: 'y' }, { notes: null, title: 'y', status: 'OPEN' }],
] as [string, Partial<Task>, object, object][])('%s', (_, given, patch, expected) => {
  expect(patched({ ...task, ...given }, patch, at)).toMatchObject(expected);
});

const closed = { status: 'DONE', closed_at: at, closed_because: 'renewal_completed' } as const;
const manual = { rung: null, alerted_date: null } as const;

test.each([
  ['completed', [{}, manual], { status: 'COMPLETED' }, ['DONE renewal_completed', 'DONE renewal_completed']],
  ['cancelled', [{}], { status: 'CANCELLED' }, ['CANCELLED renewal_cancelled']],
  ['unchanged', [{}, manual], {}, []],
  ['moved far away', [{}, manual], { due_date: '2027-03-31' }, ['CANCELLED due_date_changed']],
  ['moved by a few days', [{}], { due_date: '2026-04-02' }, ['OPEN 2026-04-02']],
  ['moved into the past', [{}], { due_date: '2026-03-01' }, ['OPEN 2026-03-01']],
  ['moved within the time of a looser alert', [{ rung: '60' }], { due_date: '2026-05-15' }, ['OPEN 2026-05-15']],
  ['reopened', [closed], {}, ['OPEN']],
  ['reopened with a person’s task', [{ ...closed, ...manual }], {}, ['OPEN']],
  ['reopened, with a task already', [closed, {}], {}, []],
  ['reopened, due on another day', [{ ...closed, alerted_date: '2026-02-28' }], {}, []],
  ['closed by a person', [{ ...closed, closed_because: 'done' }], { status: 'COMPLETED' }, []],
] as [string, Partial<typeof task>[], object, string[]][])('a renewal %s', (_, tasks, renewal, expected) => {
  const own = tasks.map((one) => ({ ...task, ...one }));
  const now = { status: 'UPCOMING', due_date: '2026-03-31', ...renewal };
  const daysUntil = (Date.parse(now.due_date) - Date.parse('2026-03-20')) / 86_400_000;
  const changes = withRenewal(own, now, at, daysUntil).map(([, after]) => after);
  expect(
    changes.map(({ status, closed_because, due_date }) =>
      [status, closed_because ?? (due_date === '2026-03-31' ? '' : due_date)].join(' ').trim(),
    ),
  ).toEqual(expected);
});

test.each([
  ['the agent of its renewal', {}, 'b', [], 'b'],
  ['nobody', { assigned_agent: null }, 'b', [], 'b'],
  ['whom somebody gave it to', { assigned_agent: 'z' }, 'b', [], 'z'],
  ['the agent, and the new one is away', {}, 'b', ['b'], null],
  ['the agent, and the renewal is nobody’s now', {}, null, [], null],
  [
    'the customer’s agent, of a renewal that was and is nobody’s',
    { assigned_agent: 'c', renewal_agent: null },
    null,
    [],
    'c',
  ],
  ['the agent, and it is done', { status: 'DONE' }, 'b', [], 'a'],
  ['the agent, who made it', manual, 'b', [], 'a'],
] as [string, Partial<Task & { renewal_agent: string | null }>, string | null, string[], string | null][])(
  'its renewal is given to another; held by %s',
  (_, given, renewalAgent, absent, expected) => {
    const held = { ...task, renewal_agent: 'a', ...given };
    expect(handedOver(held, renewalAgent, new Set(absent)).assigned_agent).toBe(expected);
  },
);

test('raised by anything, in any order, a task ends at the most urgent', () => {
  const step = fc.constantFrom<Pick<Wanted, 'rung' | 'priority'>>(
    { rung: '90', priority: 'NORMAL' },
    { rung: '14', priority: 'HIGH' },
    { rung: '7', priority: 'URGENT' },
    { rung: 'OVERDUE', priority: 'URGENT' },
  );
  const end = (steps: Pick<Wanted, 'rung' | 'priority'>[]) => {
    let open: Parameters<typeof raised>[0] = { ...task, priority: 'NORMAL', rung: '90' };
    for (const one of steps) open = raised(open, { ...wanted, ...one }, new Set());
    return open;
  };
  fc.assert(fc.property(fc.array(step), (steps) => expect(end(steps)).toEqual(end(steps.toReversed()))));
});
