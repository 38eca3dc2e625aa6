import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Decided, into } from '@ops/following/test/merges';
import { type Db, inTransaction } from '@ops/service-kit/database';
import { inTurns, type Work } from '@ops/service-kit/test/turns';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { seeded } from '@ops/test-kit/random';
import fc from 'fast-check';
import {
  type Alerts,
  alertsAt,
  cardOf,
  carriers,
  deliveryEvent,
  deliveryOf,
  type Triggered,
  triggered,
  triggeredEvent,
} from '../../test/alerts.ts';
import { type Desk, openDesk, queuedEvent, queuedMessage } from '../../test/desk.ts';
import { astray, mergesAt } from '../../test/merging.ts';
import { queueSends } from '../sending/send-service.ts';
import { createTask } from '../tasks/task-service.ts';
import { learnDeliveries } from './learning-service.ts';
import { writeLetters } from './letter-service.ts';
import type { Carrier } from './planning.rules.ts';
import { planAlerts } from './planning-service.ts';

let desk: Desk;
let alerts: Alerts;
beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());

const people = ['A', 'B', 'C', 'D'] as const;
type Person = (typeof people)[number];

async function empty(): Promise<void> {
  const decided = ['alert_actions', 'followed_renewals', 'run_alerts', 'finished_runs'];
  await emptyTables(
    desk.db,
    ...decided,
    'customer_aliases',
    'followed_customers',
    'tasks',
    'agents',
    'sends',
    'outbox',
  );
  desk.customers(...people.map((id) => cardOf({ id, name: id })));
}

const person = fc.constantFrom(...people);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ merge: person, into: person }) },
  { weight: 2, arbitrary: fc.record({ undo: person }) },
  // A refresh fires these, and each queue meets them when it does.
  { weight: 4, arbitrary: fc.record({ fire: fc.array(person, { minLength: 1, maxLength: 4 }), finish: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ meet: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.constant({ write: true as const }) },
  { weight: 2, arbitrary: fc.record({ ask: person }) },
  { weight: 2, arbitrary: fc.record({ queue: person }) },
  { weight: 4, arbitrary: fc.record({ hear: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Fired {
  alert: Triggered;
  carrier: Carrier;
}

/** As renewals-service tells it, which has heard of what was decided, or not yet. */
const alertOf = (written: Person, run_id: string, customer_id: string): Triggered =>
  triggered({
    run_id,
    customer_id,
    written_under: customer_id === written ? null : written,
    rung: '7',
    due_date: '2026-03-06',
  });

const make = (db: Db, customer_id: string) =>
  inTransaction(db, (trx) =>
    createTask(desk.deps, trx, { customer_id, title: 'Call', priority: 'NORMAL' }, { sub: 'ada', role: 'staff' }),
  );

class Life {
  readonly decided = new Decided();
  readonly fired: Fired[] = [];
  readonly tasks: { id: string; written: string }[] = [];
  readonly runs: { run_id: string; alerts: number }[] = [];

  async act(one: Step): Promise<unknown> {
    if ('merge' in one) return this.decided.merge(one.merge, one.into);
    if ('undo' in one) return this.decided.undo(one.undo);
    if ('fire' in one) return this.fire(one.fire, one.finish);
    if ('meet' in one) return this.meet(one.meet.map((at) => at % (this.fired.length || 1)));
    if ('write' in one) return writeLetters(desk.deps, desk.db);
    if ('ask' in one) return this.tasks.push({ id: (await make(desk.db, one.ask)).id, written: one.ask });
    if ('queue' in one) return desk.queue(queuedMessage({ customer_id: one.queue }));
    const told = one.hear.flatMap((at) => this.decided.told[at % (this.decided.told.length || 1)] ?? []);
    return mergesAt(desk.db, desk.deps).follow(...told);
  }

  async fire(all: readonly Person[], finish: boolean): Promise<void> {
    const run_id = uuidv7();
    for (const [n, written] of all.entries()) {
      const alert = alertOf(written, run_id, n % 2 ? this.decided.leadOf(written) : written);
      this.fired.push(...carriers.map((carrier) => ({ alert, carrier })));
    }
    this.runs.push({ run_id, alerts: all.length });
    if (finish) await alerts.finish(run_id, all.length);
  }

  async meet(which: readonly number[]): Promise<void> {
    for (const at of which) {
      const one = this.fired[at];
      if (one) await alerts.plan(one.carrier, one.alert);
    }
  }

  /** All that was told has come, and the letters are written. */
  async settle(): Promise<void> {
    await mergesAt(desk.db, desk.deps).follow(...this.decided.told.toReversed());
    await this.meet([...this.fired.keys()].toReversed());
    for (const { run_id, alerts: count } of this.runs) await alerts.finish(run_id, count);
    await writeLetters(desk.deps, desk.db);
  }
}

/** Each alert is told once by a channel, and is somebody's task once, whoever has it by now. */
async function checkOnce(life: Life): Promise<void> {
  const wanted = [...new Set(life.fired.map(({ alert }) => alert.renewal_id))].sort();
  const sends = await alerts.sends();
  const channels = new Set(sends.map(({ type }) => type));
  for (const channel of channels) {
    const told = sends.filter(({ type }) => type === channel).flatMap(({ renewal_ids }) => renewal_ids ?? []);
    expect(told.toSorted()).toEqual(wanted);
  }
  expect(wanted.length === 0 || channels.size > 0).toBe(true);
  const tasks = (await alerts.tasks()).filter(({ rung }) => rung !== null).map(({ renewal_id }) => renewal_id);
  expect(tasks.toSorted()).toEqual(wanted);
}

test('whatever is merged and taken back, fired and written meanwhile: each row is whose its id leads to, each alert told once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      await empty();
      const life = new Life();
      for (const one of steps) {
        await life.act(one);
        expect(await astray(desk.db)).toEqual([]);
      }
      await life.settle();
      expect(await astray(desk.db)).toEqual([]);
      for (const table of ['followed_renewals', 'tasks'])
        for (const { customer_id, written_under } of await desk.db(table))
          expect([table, customer_id]).toEqual([table, life.decided.leadOf(written_under ?? customer_id)]);
      for (const { id, written } of life.tasks)
        expect(await desk.db('tasks').where({ id }).first()).toMatchObject({
          customer_id: life.decided.leadOf(written),
        });
      for (const { alert } of life.fired)
        expect(await desk.db('followed_renewals').where({ renewal_id: alert.renewal_id }).first()).toMatchObject({
          customer_id: life.decided.leadOf(alert.written_under ?? alert.customer_id),
        });
      await checkOnce(life);
    }),
    { numRuns: 20, seed: 20_260_301 },
  );
});

/** What somebody does while a merge is followed. */
const meanwhile: [string, (db: Db, given: { a: Triggered; b: Triggered; mail: string }) => Promise<unknown>][] = [
  ['an alert being planned', (db, { a }) => plan(db, 'messaging', a)],
  ['a task being raised', (db, { a }) => plan(db, 'task', a)],
  ['letters being written', (db) => writeLetters(desk.deps, db)],
  ['a task being made', (db) => make(db, 'A')],
  [
    'messages being queued',
    (db) => inTransaction(db, (trx) => queueSends(desk.deps, trx, [queuedEvent(queuedMessage({ customer_id: 'A' }))])),
  ],
  [
    'a failure being heard',
    (db, { mail }) =>
      inTransaction(db, (trx) =>
        learnDeliveries(desk.deps, trx, [deliveryEvent(deliveryOf({ communication_id: mail, status: 'FAILED' }))]),
      ),
  ],
];

const plan = (db: Db, carrier: Carrier, alert: Triggered) =>
  inTransaction(db, (trx) => planAlerts(desk.deps, trx, carrier, [triggeredEvent(alert)]));

test.each(meanwhile)(
  'statement by statement beside %s, nothing is left astray, lost or doubled',
  async (name, work) => {
    for (const seed of [3, 4, 5]) {
      await empty();
      const before = triggered({ run_id: null, customer_id: 'A', rung: '60', due_date: '2026-04-30' });
      await alerts.planAll(before);
      const mail = (await alerts.sends()).find(({ type }) => type === 'EMAIL')?.send_id as string;
      await desk.db('outbox').delete();
      const run_id = uuidv7();
      const [a, b] = [alertOf('A', run_id, 'A'), alertOf('B', run_id, 'B')];
      await alerts.planAll(b);
      const isWritten = name === 'letters being written';
      if (isWritten) await alerts.planAll(a);
      if (isWritten) await alerts.finish(run_id, 2);
      const merging: Work = (db) => mergesAt(db, desk.deps).follow(into('A', 'B', 1));
      await inTurns(desk, seeded(seed), [merging, (db) => work(db, { a, b, mail })]);
      expect(await astray(desk.db)).toEqual([]);
      await alerts.planAll(a);
      await alerts.finish(run_id, 2);
      await writeLetters(desk.deps, desk.db);
      const letters = (await alerts.sends()).filter(({ renewal_ids = [] }) => !renewal_ids.includes(before.renewal_id));
      const told = letters
        .filter(({ type }) => type === letters[0]?.type)
        .flatMap(({ renewal_ids = [] }) => renewal_ids);
      expect(told.toSorted()).toEqual([a.renewal_id, b.renewal_id].sort());
      const ofAlerts = (await alerts.tasks()).filter(({ renewal_id }) => renewal_id === a.renewal_id);
      expect(ofAlerts).toHaveLength(1);
      await mergesAt(desk.db, desk.deps).follow(into('A', null, 2));
      expect(await desk.db('tasks').where({ renewal_id: a.renewal_id }).first()).toMatchObject({ customer_id: 'A' });
      expect(await astray(desk.db)).toEqual([]);
    }
  },
);
