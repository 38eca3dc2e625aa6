import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  following,
  givenByItself,
  handedOver,
  ownerOf,
  patched,
  raised,
  type StoredTask,
  standing,
  type Wanted,
} from './task.rules.ts';

const task: StoredTask = {
  id: 'T-1',
  customer_id: 'C-1',
  written_under: null,
  renewal_id: 'R-1',
  communication_id: null,
  title: 'Permit, due 2026-03-31',
  notes: null,
  priority: 'HIGH',
  status: 'OPEN',
  due_date: '2026-03-31',
  rung: '14',
  alerted_date: '2026-03-31',
  assigned_agent: 'a',
  created_by: null,
  closed_because: null,
  version: 1,
  closed_at: null,
  created_at: '2026-03-17T02:00:00.000Z',
  updated_at: '2026-03-17T02:00:00.000Z',
  put_off_to: null,
  due_by_itself: null,
  renewal_agent: 'a',
  customer_agent: 'c',
  given_to: 'a',
};

const wanted: Wanted = {
  renewal_id: 'R-1',
  customer_id: 'C-1',
  due_date: '2026-03-31',
  rung: '7',
  priority: 'URGENT',
  title: 'x',
  note: null,
  renewal_agent: 'a',
  customer_agent: 'b',
};
const at = '2026-03-20T10:00:00.000Z';
const byCustomers = { assigned_agent: 'c', given_to: 'c', renewal_agent: null };

test.each([
  ['a', 'b', 'a'],
  [null, 'b', 'b'],
  [null, null, null],
])('of a renewal of %s and a customer of %s it goes to %s', (renewal_agent, customer_agent, expected) => {
  const given = givenByItself({ renewal_agent, customer_agent });
  expect(given).toEqual({ assigned_agent: expected, given_to: expected });
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
  [
    'nobody had it',
    { renewal_agent: null, customer_agent: null, assigned_agent: null },
    wanted,
    { assigned_agent: 'a' },
  ],
  ['the customer has another agent by now', byCustomers, { ...wanted, renewal_agent: null }, { assigned_agent: 'b' }],
  [
    'while nobody can ask whose customer it is',
    {},
    { ...wanted, renewal_agent: null, customer_agent: undefined },
    { assigned_agent: 'c' },
  ],
  ['what staff noted stays', { notes: 'Called' }, { ...wanted, note: 'No phone' }, { notes: 'Called\nNo phone' }],
  ['nothing is noted twice', { notes: 'No phone' }, { ...wanted, note: 'No phone' }, { notes: 'No phone' }],
] as [string, Partial<StoredTask>, Wanted, object][])('raised: %s', (_, given, by, expected) => {
  expect(raised({ ...task, ...given }, by)).toMatchObject(expected);
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
  [
    'opening for the date it was put off to',
    { status: 'CANCELLED', closed_at: 'then', closed_because: 'due_date_changed', put_off_to: '2027-03-31' },
    { status: 'OPEN' },
    { alerted_date: '2027-03-31', due_date: '2027-03-31', put_off_to: null, title: 'Permit, due 2027-03-31' },
  ],
  ['what is left out stays', {}, { notes: undefined, title: 'y' }, { notes: null, title: 'y', status: 'OPEN' }],
] as [string, Partial<StoredTask>, object, object][])('%s', (_, given, patch, expected) => {
  expect(patched({ ...task, ...given }, patch, now)).toMatchObject(expected);
});

const now = { at, today: '2026-03-20', dueOn: (date: string) => date };
const manual: Partial<StoredTask> = { rung: null, alerted_date: null };
const closed: Partial<StoredTask> = { status: 'DONE', closed_at: at, closed_because: 'renewal_completed' };
const byHand: Partial<StoredTask> = { ...closed, closed_because: 'done' };
const putOff = (put_off_to: string): Partial<StoredTask> => ({
  status: 'CANCELLED',
  closed_at: at,
  closed_because: 'due_date_changed',
  put_off_to,
});

test.each([
  ['completed', {}, { status: 'COMPLETED' }, 'DONE renewal_completed'],
  ['completed, a person’s task', manual, { status: 'COMPLETED' }, 'DONE renewal_completed'],
  ['cancelled', {}, { status: 'CANCELLED' }, 'CANCELLED renewal_cancelled'],
  ['unchanged', {}, {}, 'OPEN 2026-03-31'],
  ['moved far away', {}, { due_date: '2027-03-31' }, 'CANCELLED due_date_changed'],
  ['moved far away, a person’s task', manual, { due_date: '2027-03-31' }, 'OPEN 2026-03-31'],
  ['moved by a few days', {}, { due_date: '2026-04-02' }, 'OPEN 2026-04-02'],
  ['moved into the past', {}, { due_date: '2026-03-01' }, 'OPEN 2026-03-01'],
  ['moved within the time of a looser alert', { rung: '60' }, { due_date: '2026-05-15' }, 'OPEN 2026-05-15'],
  ['moved by a few days and completed', {}, { due_date: '2026-04-02', status: 'COMPLETED' }, 'DONE renewal_completed'],
  ['moved far away and completed', {}, { due_date: '2027-03-31', status: 'COMPLETED' }, 'CANCELLED due_date_changed'],
  ['reopened', closed, {}, 'OPEN 2026-03-31'],
  ['reopened, a person’s task', { ...closed, ...manual }, {}, 'OPEN 2026-03-31'],
  ['reopened, due a few days later', closed, { due_date: '2026-04-02' }, 'OPEN 2026-04-02'],
  ['reopened, due far away', closed, { due_date: '2027-03-31' }, 'CANCELLED due_date_changed'],
  ['reopened and cancelled', closed, { status: 'CANCELLED' }, 'CANCELLED renewal_cancelled'],
  ['put off, and put right', putOff('2027-03-31'), {}, 'OPEN 2026-03-31'],
  ['put off, and moved near', putOff('2027-03-31'), { due_date: '2026-04-02' }, 'OPEN 2026-04-02'],
  ['put off to what is near by now', putOff('2026-04-02'), { due_date: '2026-04-02' }, 'CANCELLED due_date_changed'],
] as [string, Partial<StoredTask>, object, string][])('its renewal %s', (_, given, changed, expected) => {
  const renewal = { status: 'UPCOMING', due_date: '2026-03-31', assigned_agent: 'a', ...changed } as const;
  const { status, closed_because, closed_at, due_date, title } = standing({ ...task, ...given }, renewal, now);
  expect(`${status} ${closed_because ?? due_date}`).toBe(expected);
  expect(title).toBe(`Permit, due ${due_date}`);
  expect(closed_at === null).toBe(status === 'OPEN');
});

test('it comes out the same, whether it is told of each word or of the last alone', () => {
  const word = fc.record({
    status: fc.constantFrom('UPCOMING' as const, 'OVERDUE' as const, 'COMPLETED' as const, 'CANCELLED' as const),
    due_date: fc.constantFrom('2026-03-10', '2026-03-31', '2026-04-02', '2026-07-31', '2027-03-31'),
    assigned_agent: fc.constantFrom('a', 'b', 'away', null),
  });
  const left = ({ status, closed_because, due_date, title, assigned_agent }: StoredTask) =>
    status === 'OPEN' ? { status, due_date, title, assigned_agent } : { status, closed_because };
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.constantFrom({}, manual, closed), (words, given) => {
      const told = words.reduce((one, renewal) => standing(one, renewal, now), { ...task, ...given });
      const last = words.at(-1) as (typeof words)[number];
      expect(left(told)).toEqual(left(standing({ ...task, ...given }, last, now)));
    }),
  );
});

const named = (id: string, given: Partial<StoredTask>): StoredTask => ({ ...task, id, ...given });
const older = { closed_at: '2026-03-18T10:00:00.000Z' };

test.each([
  ['the open one', [named('1', {}), named('2', closed)], ['1']],
  ['the last that was closed', [named('1', { ...closed, ...older }), named('2', closed)], ['2']],
  ['the last, by when it was closed', [named('1', closed), named('2', { ...closed, ...older })], ['1']],
  ['none, since a person closed the last', [named('1', { ...closed, ...older }), named('2', byHand)], []],
  [
    'all that people made, but for what a person closed',
    [named('1', manual), named('2', { ...closed, ...manual }), named('3', { ...byHand, ...manual })],
    ['1', '2'],
  ],
])('which of its tasks follow a renewal: %s', (_, tasks, expected) => {
  expect(following(tasks).map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['the agent of its renewal', {}, 'b', 'b'],
  ['nobody', { assigned_agent: null, given_to: null }, 'b', 'b'],
  ['the customer’s agent, of a renewal that was nobody’s', byCustomers, 'b', 'b'],
  ['whom a person gave it to', { assigned_agent: 'z', given_to: null }, 'b', 'z'],
  ['whom a person gave it to, who has the renewal too', { given_to: null }, 'b', 'a'],
  ['the agent, and the renewal is nobody’s now', {}, null, 'c'],
  ['the agent, and nobody is left', { customer_agent: null }, null, null],
  ['the agent, who made it', manual, 'b', 'a'],
] as [string, Partial<StoredTask>, string | null, string | null][])(
  'its renewal is given to another; held by %s',
  (_, given, assigned_agent, expected) => {
    const renewal = { status: 'UPCOMING', due_date: '2026-03-31', assigned_agent } as const;
    expect(standing({ ...task, ...given }, renewal, now).assigned_agent).toBe(expected);
  },
);

test('whom a person gives it to has it from then on; naming who has it already changes nothing', () => {
  expect(patched(task, { assigned_agent: 'z' }, now)).toMatchObject({ assigned_agent: 'z', given_to: null });
  expect(patched(task, { assigned_agent: 'a' }, now)).toEqual(task);
});

test('raised by anything, in any order, a task ends at the most urgent', () => {
  const step = fc.constantFrom<Pick<Wanted, 'rung' | 'priority'>>(
    { rung: '90', priority: 'NORMAL' },
    { rung: '14', priority: 'HIGH' },
    { rung: '7', priority: 'URGENT' },
    { rung: 'OVERDUE', priority: 'URGENT' },
  );
  const end = (steps: Pick<Wanted, 'rung' | 'priority'>[]) => {
    let open: StoredTask = { ...task, priority: 'NORMAL', rung: '90' };
    for (const one of steps) open = raised(open, { ...wanted, ...one });
    return open;
  };
  fc.assert(fc.property(fc.array(step), (steps) => expect(end(steps)).toEqual(end(steps.toReversed()))));
});

const someone = fc.constantFrom(null, 'a', 'b', 'c');
const agents = fc.record({ renewal_agent: someone, customer_agent: someone });

test('whatever its renewal and customer were told to be, it is whose a person said, else the renewal’s, else the customer’s', () => {
  const words = fc.array(fc.oneof(agents, fc.record({ assigned_agent: fc.constantFrom('a', 'z') })));
  fc.assert(
    fc.property(words, agents, fc.constantFrom(task.rung, null), (before, last, rung) => {
      let held: StoredTask = {
        ...task,
        rung,
        ...last,
        ...(rung === null ? { assigned_agent: null } : givenByItself(last)),
      };
      let said: string | null = null;
      for (const word of [...before, last]) {
        // Naming who has it already says nothing.
        if ('assigned_agent' in word && word.assigned_agent !== held.assigned_agent) said = word.assigned_agent;
        held = 'assigned_agent' in word ? patched(held, word, now) : handedOver(held, word);
      }
      expect(ownerOf(held)).toBe(said ?? last.renewal_agent ?? last.customer_agent);
    }),
  );
});
