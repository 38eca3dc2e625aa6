import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import fc from 'fast-check';
import { followRenewals } from '../../services/notifier/src/planning/following-service.ts';
import { finishRuns, writeLetters } from '../../services/notifier/src/planning/letter-service.ts';
import { planAlerts } from '../../services/notifier/src/planning/planning-service.ts';
import { cardOf, carriers } from '../../services/notifier/test/alerts.ts';
import { type Desk, eventOf, openDesk, queuedMessage } from '../../services/notifier/test/desk.ts';
import { takeMessages, takeOutcomes } from '../../services/renewals-service/src/alert-outcomes/alert-service.ts';
import { acknowledgeRenewal, releaseRenewal } from '../../services/renewals-service/src/renewals/hold-service.ts';
import {
  patchRenewal,
  standingOf,
  startRenewal,
} from '../../services/renewals-service/src/renewals/renewal-service.ts';
import { watchExpiry } from '../../services/renewals-service/src/renewals/watch-service.ts';
import { type Changed, changed } from '../../services/renewals-service/test/statements-told.ts';
import { startWorld, type World } from '../../services/renewals-service/test/world.ts';
import { type Deed, Model } from './model.ts';

// renewals-service and notifier as they are, each on its tables; what they tell each other is handed over by the test.

let world: World;
let desk: Desk;

beforeAll(async () => {
  [world, desk] = await Promise.all([startWorld(), openDesk()]);
  // What may follow an alert has tests of its own.
  await world.db('followed_alert_plan').update({ outreach: {} });
  // Each alert is one message: an e-mail, of its own or for want of the messaging app.
  desk.customers(cardOf({ phones: [] }));
});
afterAll(() => Promise.all([world.close(), desk.close()]));

/** The desk's clock begins at ten in the morning of this day. */
let today = '2026-03-01';

function nextDay(days: number): void {
  today = addDays(today, days);
  world.setToday(today);
  desk.passMs(days * 86_400_000);
}

const watch = (customer_id: string, due_date: string) =>
  inTransaction(world.db, async (trx) => {
    const wanted = { customer_id, service_type: 'RESIDENCE_PERMIT', due_date, policy_id: null, notes: null };
    const [made] = await watchExpiry(world.deps, trx, [{ ...wanted, assigned_agent: null }]);
    return made?.id as string;
  });

/** What renewals-service told of our customer goes to the queues that hear it, and what came of it back. */
async function handOver(): Promise<Envelope[]> {
  const told = await world.told();
  const ours = told.filter(({ subject }) => subject === 'C-1');
  const followed = ours.filter((event): event is EventOf<'renewal.changed'> => event.type === 'renewal.changed');
  const causes = ours.filter(isCause);
  for (const carrier of carriers) await inTransaction(desk.db, (trx) => planAlerts(desk.deps, trx, carrier, causes));
  await inTransaction(desk.db, (trx) => followRenewals(desk.deps, trx, followed));
  const finished = (await world.finished()).map((data) => ({ ...data, alerts: causes.length }));
  const over = finished.map((data) => eventOf('refresh.finished', data.run_id, data));
  await inTransaction(desk.db, (trx) => finishRuns(desk.deps, trx, over));
  await writeLetters(desk.deps, desk.db);
  const { rows } = await desk.db.raw('DELETE FROM outbox RETURNING id, event');
  const answered: Envelope[] = rows.sort(byId).map(({ event }: { event: Envelope }) => event);
  const planned = answered.filter((event): event is EventOf<'alert.planned'> => event.type === 'alert.planned');
  await inTransaction(world.db, (trx) => takeOutcomes(world.deps, trx, planned));
  for (const { type, data } of answered) if (type === 'communication.send') await queue(data as Sent);
  return told;
}

type Sent = EventOf<'communication.send'>['data'];
type Cause = EventOf<'RENEWAL_TRIGGERED' | 'renewal.outreach'>;
const isCause = (event: Envelope): event is Cause => ['RENEWAL_TRIGGERED', 'renewal.outreach'].includes(event.type);
const byId = (one: { id: string }, other: { id: string }) => Number(one.id) - Number(other.id);

/** As comms-service does; the subject says which rung it is of. */
const queue = ({ send_id: communication_id, renewal_id, rung, send_after }: Sent) =>
  desk.queue(
    queuedMessage({ communication_id, renewal_id, send_after, subject: rung, type: 'EMAIL', automated: true }),
  );

/** Whatever waits leaves, if the guard lets it. */
async function send(id: string): Promise<void> {
  const standing = await standingOf(world.deps, world.db, id);
  desk.renewals(() => standing);
  await desk.worker.runOnce();
}

const answers: string[] = [];

async function hear(renewal_id: string, said: Partial<Changed> & { communication_id: string }): Promise<void> {
  const at = world.deps.now().toISOString();
  const message = { renewal_id, direction: 'INBOUND' as const, status: 'RECEIVED' as const, written_at: at, ...said };
  await inTransaction(world.db, (trx) => takeMessages(world.deps, trx, [changed(message, at)]));
}

/** Whether it was allowed. */
async function perform(id: string, deed: Deed, due: string): Promise<boolean> {
  if (deed.kind === 'answer') await hear(id, { communication_id: answers[answers.push(uuidv7()) - 1] as string });
  if (deed.kind === 'machine') await hear(id, { communication_id: uuidv7(), automatic: true });
  if (deed.kind === 'takeBack') {
    const communication_id = answers.pop();
    if (communication_id) await hear(id, { communication_id, change: 'unlinked' });
  }
  if (deed.kind === 'start') return allowed((trx) => startRenewal(world.deps, trx, id, undefined));
  if (deed.kind === 'release') return allowed((trx) => releaseRenewal(world.deps, trx, id, undefined));
  if (deed.kind === 'acknowledge') {
    const asked = { id, input: { until: addDays(today, deed.days) }, by: 'staff', ifMatch: undefined };
    return allowed((trx) => acknowledgeRenewal(world.deps, trx, asked));
  }
  return deed.kind === 'move' ? moveTo(id, addDays(due, deed.days)) : true;
}

const moveTo = (id: string, due_date: string) =>
  allowed((trx) => patchRenewal(world.deps, trx, id, { due_date }, undefined));

const allowed = (work: (trx: Trx) => Promise<unknown>): Promise<boolean> =>
  inTransaction(world.db, work).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ProblemError && error.status < 500) return false;
      throw error;
    },
  );

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('nothing' as const) }) },
  fc.record({ kind: fc.constantFrom('machine' as const, 'takeBack' as const, 'start' as const) }),
  fc.record({ kind: fc.constant('acknowledge' as const), days: fc.integer({ min: 1, max: 62 }) }),
  fc.record({ kind: fc.constant('move' as const), days: fc.integer({ min: -25, max: 40 }) }),
);
const day = fc.record({ after: fc.integer({ min: 1, max: 16 }), early: deed, late: deed });

/** The refresh at night, what somebody does before messages leave, these, and what somebody does after that. */
test('whatever happens, nobody is written to while it is held, then once, and rungs fire as they would without', async () => {
  let sentAfterHolds = 0;
  const property = fc.asyncProperty(
    fc.integer({ min: 10, max: 95 }),
    fc.array(day, { minLength: 4, maxLength: 12 }),
    async (ahead, days) => {
      await emptyTables(world.db, 'renewals', 'refresh_runs', 'linked_messages', 'outbox');
      await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox', 'run_alerts');
      desk.sent.length = answers.length = 0;
      const model = new Model(addDays(today, ahead));
      const [id, twin] = [await watch('C-1', model.due), await watch('C-2', model.due)];
      const left: string[] = [];
      for (const { after, early, late } of days) {
        nextDay(after);
        await world.night(today);
        model.night(today);
        const fired = (await handOver()).filter(({ type }) => type === 'RENEWAL_TRIGGERED');
        const rungsOf = (one: string) =>
          fired.filter(({ data }) => data.renewal_id === one).map(({ data }) => [data.rung, data.superseded]);
        expect(rungsOf(id)).toEqual(rungsOf(twin));
        await act(early);
        await send(id);
        model.morning(today);
        left.push(...desk.sent.splice(0).map(({ message }) => `${today} ${message.subject}`));
        expect(left).toEqual(model.sent);
        await act(late);
        const { hold } = await standingOf(world.deps, world.db, id);
        expect(hold !== null).toBe(model.isHeld(today));
      }
      sentAfterHolds += (await world.db('alerts').whereNot({ step: '0' })).length;

      async function act(wanted: Deed): Promise<void> {
        const done = await perform(id, wanted, model.due);
        if (done && wanted.kind === 'move') await moveTo(twin, addDays(model.due, wanted.days));
        if (done) model.do(wanted, today);
        await handOver();
      }
    },
  );
  await fc.assert(property, { seed: 20_261_123, numRuns: 12 });
  expect(sentAfterHolds).toBeGreaterThan(5);
});
