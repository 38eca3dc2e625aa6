import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDeliver } from '@ops/bus/consumer';
import type { QueueSpec } from '@ops/bus/port';
import type { Envelope } from '@ops/contracts/envelope';
import type { Rung } from '@ops/contracts/resources/renewal';
import { createLogger } from '@ops/service-kit/logger';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { type Desk, openDesk } from '../test-desk.ts';
import { topology } from '../topology.ts';
import { followRenewals } from './following-service.ts';
import { planAlerts } from './planning-service.ts';
import { alertsAt, cardOf, changed, changedEvent, type Triggered, triggered, triggeredEvent } from './test-alerts.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** What happens to one renewal, in the order it happens: each step is a version of its own. */
const history = fc.array(
  fc.oneof(
    fc.record({ fire: fc.constantFrom<Rung>('90', '30', '14', '7', 'OVERDUE') }),
    fc.record({ move: fc.constantFrom('2026-03-31', '2026-04-30', '2027-03-31') }),
    fc.constantFrom({ close: 'COMPLETED' as const }, { close: 'CANCELLED' as const }, { reopen: true as const }),
  ),
  { minLength: 1, maxLength: 7 },
);
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function eventsOf(steps: History): { alerts: Envelope[]; changes: Envelope[]; last: Triggered; open: boolean } {
  let now = { ...triggered(), closed: false };
  const alerts: Envelope[] = [];
  const changes: Envelope[] = [];
  for (const step of steps) {
    now = { ...now, version: now.version + 1 };
    if ('fire' in step) {
      if (!now.closed) alerts.push(triggeredEvent(plain({ ...now, rung: step.fire })));
      continue;
    }
    if ('move' in step) now = { ...now, due_date: step.move };
    else now = { ...now, closed: 'close' in step };
    const status = 'close' in step ? step.close : now.closed ? 'COMPLETED' : 'UPCOMING';
    changes.push(changedEvent(changed(now, { status, version: now.version, due_date: now.due_date })));
  }
  return { alerts, changes, last: now, open: !now.closed };
}

const plain = ({ closed: _, ...alert }: Triggered & { closed: boolean }): Triggered => alert;

function deliverTo(queue: QueueSpec) {
  const carrier = {
    [topology.queues.renewalMessaging.name]: 'messaging',
    [topology.queues.renewalEmail.name]: 'email',
  };
  const deliver = createDeliver({
    ...{ db: desk.db, queue, logger: createLogger('test', 'silent') },
    handle: (trx, events) =>
      queue === topology.queues.renewalFollow
        ? followRenewals(desk.deps, trx, events)
        : planAlerts(desk.deps, trx, (carrier[queue.name] ?? 'task') as 'task', events),
  });
  return async (events: Envelope[]) => {
    const outcomes = await deliver(
      events.map((event) => ({ event, attempt: 1 }) as Parameters<typeof deliver>[0][number]),
    );
    expect(outcomes).toEqual(events.map(() => ({ done: true })));
  };
}

/** Each queue gets its events in an order of its own, some of them twice, with all four queues at work at once. */
test('in whatever order and however often events come: one message for a rung and channel, one rung for a date, one open task', async () => {
  const { renewalMessaging, renewalEmail, renewalTask, renewalFollow } = topology.queues;
  await fc.assert(
    fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, chance) => {
      await desk.db.raw('TRUNCATE alert_actions, followed_renewals, tasks, deliveries, outbox, inbox CASCADE');
      desk.customers(cardOf());
      const shuffled = (events: Envelope[]) =>
        [...events, ...events.filter((_, n) => n % 2 === 0)]
          .map((event) => ({ event, key: chance.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ event }) => event);
      const { alerts, changes, last, open } = eventsOf(steps);
      const work = [renewalMessaging, renewalEmail, renewalTask].map((queue) => ({ queue, events: shuffled(alerts) }));
      await Promise.all(
        [...work, { queue: renewalFollow, events: shuffled(changes) }].map(async ({ queue, events }) => {
          const deliver = deliverTo(queue);
          for (const event of events) await deliver([event]);
        }),
      );
      await check(last, open, changes.length > 0);
    }),
    { numRuns: 40 },
  );
});

async function check(last: Triggered, open: boolean, wasTold: boolean): Promise<void> {
  const at = alertsAt(desk);
  const sends = (await at.outcomes()).filter(({ channel, outcome }) => channel !== 'TASK' && outcome === 'planned');
  const keys = sends.map(({ renewal_id, due_date, rung, channel }) => [renewal_id, due_date, rung, channel].join());
  expect(new Set(keys).size).toBe(keys.length);
  expect(await at.sends()).toHaveLength(sends.length);
  const tasks = (await at.tasks()).filter(({ status }) => status === 'OPEN');
  expect(tasks.length).toBeLessThanOrEqual(open ? 1 : 0);
  if (!wasTold) return;
  const { rows } = await desk.db.raw('select status, due_date, version from followed_renewals');
  expect(rows).toMatchObject([{ due_date: last.due_date }]);
  const writing = await desk.db('alert_actions').where({ outcome: 'planned' }).whereNot({ channel: 'TASK' });
  for (const [date, ofDate] of Map.groupBy(writing, ({ due_date }) => due_date))
    expect([date, new Set(ofDate.map(({ rung }) => rung)).size]).toEqual([date, 1]);
  const waiting = await desk.db('alert_actions').where({ outcome: 'planned' }).whereNot({ channel: 'TASK' });
  for (const { due_date } of waiting) expect([due_date, open]).toEqual([last.due_date, true]);
}

test('two alerts of one renewal at once leave one task, the more urgent', async () => {
  await desk.db.raw('TRUNCATE alert_actions, followed_renewals, tasks, outbox, inbox CASCADE');
  desk.customers(cardOf());
  const renewal_id = uuidv7();
  const at = alertsAt(desk);
  await Promise.all((['7', '14'] as const).map((rung) => at.plan('task', triggered({ renewal_id, rung }))));
  expect(await at.tasks()).toMatchObject([{ priority: 'URGENT', rung: '7', status: 'OPEN' }]);
});
