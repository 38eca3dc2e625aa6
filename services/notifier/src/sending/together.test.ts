import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Db } from '@ops/service-kit/database';
import { eventually } from '@ops/test-kit/eventually';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';
import type { Comms, Deps, SendingDeps } from '../deps.ts';
import type { Outcome } from '../senders/sender.ts';
import { createSendingWorker } from './sending-worker.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(async () => {
  await letGo();
  await desk.close();
});

const messages = Array.from({ length: 5 }, (_, n) => queuedMessage({ customer_id: `C-${n}`, automated: n > 0 }));
const [first] = messages as [(typeof messages)[number]];
const pace = { allowance: () => messages.length, taken: () => {}, ended: () => {}, leftAlone: () => false };
const paces = { MESSAGING_APP: pace, EMAIL: pace, SMS: pace };

const worker = (changed: Partial<SendingDeps>, db = desk.db) =>
  createSendingWorker({ deps: { ...desk.deps, ...changed }, db, paces, ended: () => {} });

const accepted = (n: number): Outcome => ({ kind: 'accepted', providerMessageId: `SM-${n}` });

const recorded = async () => (await desk.told()).map(({ communication_id, status }) => `${communication_id} ${status}`);
const sentOf = (some: typeof messages) => some.map(({ communication_id }) => `${communication_id} SENT`).toSorted();

/** Before the one that is waited for is given up. */
const soon = { timeoutMs: 8_000 };

let letGo: () => Promise<unknown> = async () => undefined;

/** Somebody takes the row of the first message when it is called, and holds it until it is let go. */
async function holder(): Promise<() => Promise<unknown>> {
  const trx = await desk.db.transaction();
  letGo = async () => trx.isCompleted() || trx.rollback();
  const { communication_id } = first;
  let taken: Promise<unknown> | undefined;
  return () => {
    taken ??= Promise.resolve(trx('sends').where({ communication_id }).forUpdate().select('id'));
    return taken;
  };
}

test('what is in work at the same moment is looked at in one go, and told of in another', async () => {
  const { guard, outbox } = desk.deps;
  const looked: number[] = [];
  const told: number[] = [];
  const counting: Deps['outbox'] = {
    ...outbox,
    addMany: (trx, events) => {
      told.push(events.length);
      return outbox.addMany(trx, events);
    },
  };
  const beforeTry: typeof guard.beforeTry = (db, asked) => {
    looked.push(asked.length);
    return guard.beforeTry(db, asked);
  };
  const arrived = Promise.withResolvers<void>();
  desk.next(
    ...messages.map((_, n) => async () => {
      if (n === messages.length - 1) arrived.resolve();
      await arrived.promise;
      return accepted(n);
    }),
  );
  await desk.queue(...messages);
  await worker({ outbox: counting, guard: { ...guard, beforeTry } }).runOnce();
  expect([looked, told]).toEqual([[4], [5]]);
  expect((await recorded()).toSorted()).toEqual(sentOf(messages));
});

test('one that somebody holds when it is to leave keeps none of the others', async () => {
  await desk.queue(...messages);
  const take = await holder();
  const { comms } = desk.deps;
  const maySend: Comms['maySend'] = (...asked) => take().then(() => comms.maySend(...asked));
  const run = worker({ comms: { ...comms, maySend } }).runOnce();
  await eventually(async () => expect((await recorded()).toSorted()).toEqual(sentOf(messages.slice(1))), soon);
  expect(desk.sent).toHaveLength(4);
  await letGo();
  await run;
  expect((await recorded()).toSorted()).toEqual(sentOf(messages));
});

test('one that somebody holds when it has left keeps nobody from hearing of the others', async () => {
  await desk.queue(...messages);
  const take = await holder();
  desk.next(...messages.map((_, n) => () => take().then(() => accepted(n))));
  const run = worker({}).runOnce();
  await eventually(async () => expect((await recorded()).toSorted()).toEqual(sentOf(messages.slice(1))), soon);
  await letGo();
  await run;
  expect((await recorded()).toSorted()).toEqual(sentOf(messages));
});

/** It does what marks a message, and so many times its answer is lost. */
function losingAnswers(times: number): Db {
  let left = times;
  const raw = async (...[sql, given]: Parameters<Db['raw']>) => {
    const answer = await desk.db.raw(sql, given);
    if (sql.includes('SET on_wire_at = :now') && left-- > 0) throw new Error('Connection terminated unexpectedly');
    return answer;
  };
  return new Proxy(desk.db, { get: (db, name) => (name === 'raw' ? raw : Reflect.get(db, name)) });
}

test('marked while the answers of the database were lost for a while, each leaves, once', async () => {
  await desk.queue(...messages);
  await worker({}, losingAnswers(2 * messages.length)).runOnce();
  expect(desk.sent).toHaveLength(messages.length);
  expect((await recorded()).toSorted()).toEqual(sentOf(messages));
  expect(await desk.db('sends').pluck('tries')).toEqual(messages.map(() => 1));
});

test('one of which it cannot be recorded what came of it costs the others nothing, and is uncertain', async () => {
  await desk.queue(...messages);
  const { id } = await desk.send(first.communication_id);
  await desk.db.raw(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON send_tries FOR EACH ROW WHEN (new.send_id = '${id}') EXECUTE FUNCTION fail()`,
  );
  await worker({ leaseMs: 400 }).runOnce();
  expect((await recorded()).toSorted()).toEqual(sentOf(messages.slice(1)));
  desk.passMs(400);
  expect(await desk.sweep()).toEqual({ interrupted: 1, expired: 0 });
  expect(await recorded()).toContain(`${first.communication_id} UNCERTAIN`);
});
