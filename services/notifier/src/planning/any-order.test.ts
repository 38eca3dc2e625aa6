import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Consumption, consume, createDeliver } from '@ops/bus/consumer';
import { daysBetween } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { TaskPriority } from '@ops/contracts/resources/task-priority';
import { createLogger } from '@ops/service-kit/logger';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import fc from 'fast-check';
import {
  alertsAt,
  type Changed,
  cardOf,
  changed,
  changedEvent,
  type Delivery,
  deliveryEvent,
  deliveryOf,
  type Triggered,
  triggered,
  triggeredEvent,
} from '../../test/alerts.ts';
import { type Desk, openDesk } from '../../test/desk.ts';
import { topology } from '../topology.ts';
import type { Action } from './alert-actions.rules.ts';
import { followRenewals } from './following-service.ts';
import { learnDeliveries } from './learning-service.ts';
import { planAlerts } from './planning-service.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** 9 days ago, in 5, 11, 30 and 395 days. */
const dates = ['2026-02-20', '2026-03-06', '2026-03-12', '2026-03-31', '2027-03-31'];
const today = '2026-03-01';

/** What happens to one renewal, in the order it happens: each step is a version of its own. */
const history = fc.array(
  fc.oneof(
    fc.record({ fire: fc.constantFrom<Rung>('90', '30', '14', '7', 'OVERDUE') }),
    fc.record({ move: fc.constantFrom(...dates) }),
    fc.constantFrom({ close: 'COMPLETED' as const }, { close: 'CANCELLED' as const }, { reopen: true as const }),
  ),
  { minLength: 1, maxLength: 7 },
);
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  alerts: Triggered[];
  changes: Changed[];
  last: { due_date: string; status: Changed['status'] };
}

/** A rung fires only once it is reached. */
function toldOf(steps: History): Told {
  let now = triggered({ due_date: '2026-03-06' });
  let status: Changed['status'] = 'UPCOMING';
  const [alerts, changes]: [Triggered[], Changed[]] = [[], []];
  for (const step of steps) {
    now = { ...now, version: now.version + 1 };
    if ('fire' in step) {
      const isReached = daysBetween(today, now.due_date) <= (step.fire === 'OVERDUE' ? -1 : Number(step.fire));
      if (isReached && status === 'UPCOMING') alerts.push({ ...now, rung: step.fire });
      continue;
    }
    if ('move' in step) now = { ...now, due_date: step.move };
    else status = 'close' in step ? step.close : 'UPCOMING';
    changes.push(changed(now, { status, version: now.version }));
  }
  return { alerts, changes, last: { due_date: now.due_date, status } };
}

const { deliveryStandIn, renewalMessaging, renewalEmail, renewalTask, renewalFollow } = topology.queues;
const following = consume(renewalFollow, (trx, events) => followRenewals(desk.deps, trx, events));
const planning = [
  consume(renewalMessaging, (trx, events) => planAlerts(desk.deps, trx, 'messaging', events)),
  consume(renewalEmail, (trx, events) => planAlerts(desk.deps, trx, 'email', events)),
  consume(renewalTask, (trx, events) => planAlerts(desk.deps, trx, 'task', events)),
];

function deliverTo(consumption: Consumption) {
  const deliver = createDeliver({ ...consumption, db: desk.db, logger: createLogger('test', 'silent') });
  return async (events: Envelope[]) => {
    const outcomes = await deliver(
      events.map((event) => ({ event, attempt: 1 }) as Parameters<typeof deliver>[0][number]),
    );
    expect(outcomes).toEqual(events.map(() => ({ done: true })));
  };
}

/**
 * Each queue gets its events in an order of its own and in batches of its own, some of them twice, with all four queues at
 * work at once.
 */
test('in whatever order and however often events come: one message for a rung and channel, one rung for a date, one task', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, chance) => {
      await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox', 'inbox');
      desk.customers(cardOf());
      const draw = () => chance.next().value as number;
      const told = toldOf(steps);
      await plan(told, draw);
      await checkMessages(told);
      await checkTask(told);
    }),
    { numRuns: 40 },
  );
});

type Draw = () => number;

async function plan({ alerts, changes }: Told, draw: Draw): Promise<void> {
  const work = planning.map((consumption) => ({ consumption, events: alerts.map(triggeredEvent) as Envelope[] }));
  await Promise.all(
    [...work, { consumption: following, events: changes.map(changedEvent) }].map(({ consumption, events }) =>
      deliverAnyhow(consumption, events, draw),
    ),
  );
}

async function deliverAnyhow(consumption: Consumption, events: Envelope[], draw: Draw): Promise<void> {
  const deliver = deliverTo(consumption);
  for (const batch of batched(shuffled(events, draw), draw)) await deliver(batch);
}

const shuffled = (events: Envelope[], draw: () => number): Envelope[] =>
  [...events, ...events.filter((_, n) => n % 2 === 0)]
    .map((event) => ({ event, key: draw() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ event }) => event);

function batched(events: Envelope[], draw: () => number): Envelope[][] {
  if (events.length === 0) return [];
  const size = 1 + (draw() % 3);
  return [events.slice(0, size), ...batched(events.slice(size), draw)];
}

async function checkMessages({ changes, last }: Told): Promise<void> {
  const at = alertsAt(desk);
  const sends = (await at.outcomes()).filter(({ channel, outcome }) => channel !== 'TASK' && outcome === 'planned');
  const keys = sends.map(({ renewal_id, due_date, rung, channel }) => [renewal_id, due_date, rung, channel].join());
  expect(new Set(keys).size).toBe(keys.length);
  expect(await at.sends()).toHaveLength(sends.length);
  if (changes.length === 0) return;
  expect(await desk.db('followed_renewals')).toMatchObject([{ due_date: last.due_date }]);
  const waiting = await desk.db('alert_actions').where({ outcome: 'planned' }).whereNot({ channel: 'TASK' });
  for (const [date, ofDate] of Map.groupBy(waiting, ({ due_date }) => due_date))
    expect([date, new Set(ofDate.map(({ rung }) => rung)).size]).toEqual([date, 1]);
  for (const { due_date } of waiting) expect([due_date, last.status]).toEqual([last.due_date, 'UPCOMING']);
}

/** Whatever happened in between, it is as urgent as the most urgent alert, and stands as the renewal does at last. */
async function checkTask({ alerts, last: { due_date, status } }: Told): Promise<void> {
  const priorities = alerts.flatMap(({ rung }) => priorityOf[rung] ?? []);
  const priority = priorities.includes('URGENT') ? 'URGENT' : 'HIGH';
  const isNear = daysBetween(today, due_date) <= 14;
  const expected = isNear ? standings[status] : { status: 'CANCELLED', closed_because: 'due_date_changed' };
  const tasks = await alertsAt(desk).tasks();
  expect(tasks).toMatchObject(priorities.length === 0 ? [] : [{ priority, ...expected }]);
  const due = { due_date: due_date < today ? today : due_date, alerted_date: due_date };
  for (const task of tasks) if (task.status === 'OPEN') expect(task).toMatchObject(due);
}

const priorityOf: Partial<Record<Rung, TaskPriority>> = { '14': 'HIGH', '7': 'URGENT', OVERDUE: 'URGENT' };

const standings: Partial<Record<Changed['status'], object>> = {
  UPCOMING: { status: 'OPEN', closed_because: null },
  COMPLETED: { status: 'DONE', closed_because: 'renewal_completed' },
  CANCELLED: { status: 'CANCELLED', closed_because: 'renewal_cancelled' },
};

test('two alerts of one renewal at once leave one task, the more urgent', async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'outbox', 'inbox');
  desk.customers(cardOf());
  const renewal_id = uuidv7();
  const at = alertsAt(desk);
  await Promise.all((['7', '14'] as const).map((rung) => at.plan('task', triggered({ renewal_id, rung }))));
  expect(await at.tasks()).toMatchObject([{ priority: 'URGENT', rung: '7', status: 'OPEN' }]);
});

const statuses = ['UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ', 'CANCELLED'] as const;
const rounds = 3;

/** Some of the messages are heard of now, some later, some never; what stands in for them likewise. */
test('whatever becomes of its messages, the newest alert has reached the customer, has one under way, or is an open task', async () => {
  const at = alertsAt(desk);
  desk.deps.today = () => today;
  const learning = consume(deliveryStandIn, (trx, events) => learnDeliveries(desk.deps, trx, events));
  await fc.assert(
    fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, chance) => {
      await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox', 'inbox');
      const draw = () => chance.next().value as number;
      const told = toldOf(steps);
      await plan(told, draw);
      const heard: Delivery[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const news = (await at.sends()).flatMap(({ send_id }) => (draw() % 2 ? newsOf(send_id, draw) : []));
        heard.push(...news);
        const again = plan({ ...told, alerts: [] }, draw);
        await Promise.all([again, deliverAnyhow(learning, news.map(deliveryEvent), draw), at.lookAgain()]);
        desk.passMs(72 * 3_600_000);
      }
      await Promise.all([at.lookAgain(), at.lookAgain()]);
      await checkEnd(told, heard);
    }),
    { numRuns: 40 },
  );
});

const newsOf = (communication_id: string, draw: Draw): Delivery[] =>
  Array.from({ length: 1 + (draw() % 3) }, () => {
    const status = statuses[draw() % statuses.length] ?? 'FAILED';
    const occurred_at = desk.deps.now().toISOString();
    return deliveryOf({ communication_id, status, attempt: 1 + (draw() % 2), occurred_at });
  });

async function checkEnd({ alerts, last: { due_date, status } }: Told, heard: readonly Delivery[]): Promise<void> {
  const fired = alerts.filter((alert) => alert.due_date === due_date).map(({ rung }) => rung);
  const newest = rungs.findLast((rung) => fired.includes(rung));
  if (!newest || status !== 'UPCOMING') return;
  const messages: Action[] = await desk
    .db('alert_actions')
    .where({ due_date, rung: newest })
    .whereNot({ channel: 'TASK' });
  const of = (id: string) => heard.filter((one) => one.communication_id === id && one.status !== 'CANCELLED');
  const isGoing = messages.some(({ id, outcome }) => outcome === 'planned' && of(id).length === 0);
  const hasReached = messages.some(({ id, channel }) => {
    const all = of(id);
    const last = all.filter(({ attempt }) => attempt === Math.max(...all.map((one) => one.attempt)));
    const isSent = channel !== 'MESSAGING_APP' && last.some((one) => one.status === 'SENT');
    const arrived = all.some((one) => one.status === 'DELIVERED' || one.status === 'READ');
    return arrived || (isSent && last.every((one) => one.status !== 'FAILED'));
  });
  const isTask = (await alertsAt(desk).tasks()).some((task) => task.status === 'OPEN');
  expect({ newest, isGoing, hasReached, isTask, ends: isGoing || hasReached || isTask }).toMatchObject({ ends: true });
}
