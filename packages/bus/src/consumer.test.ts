import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import { emptyTables } from '@ops/test-kit/empty-tables';
import type { Knex } from 'knex';
import { createTestSchema } from '../test/schema.ts';
import { customerChanged, effectsOf, outbox, queues, writeEffects } from './conformance/events.ts';
import { silent } from './conformance/world.ts';
import { createDeliver } from './consumer.ts';
import { BrokenEventError } from './errors.ts';
import { currentTrace } from './trace.ts';
import { DatabaseLostError } from './transaction.ts';

let schema: Awaited<ReturnType<typeof createTestSchema>>;
let events: Envelope[];
beforeAll(async () => {
  schema = await createTestSchema();
});
afterAll(() => schema.drop());
beforeEach(async () => {
  await emptyTables(schema.db, 'outbox', 'inbox', 'dead_letters', 'effects');
  const list = Array.from({ length: 5 }, (_, n) => customerChanged(`C-${n}`, n + 1));
  events = await schema.db.transaction((trx) => outbox.addMany(trx, list));
});

type Handle = (trx: Knex.Transaction, events: Envelope[]) => Promise<void>;
const effects = () => effectsOf(schema.db, queues.work);
const write: Handle = (trx, list) => writeEffects(trx, queues.work.name, list);
const done = { done: true };

const deliverTo = (handle: Handle) => createDeliver({ db: schema.db, queue: queues.work, logger: silent, handle });
const first = (attempt = 1) => [{ event: events[0], attempt }];

test('a batch is one transaction; only events that are fresh reach the handler', async () => {
  const batches: string[][] = [];
  const deliver = deliverTo(async (trx, list) => {
    batches.push(list.map(({ subject }) => subject));
    await write(trx, list);
  });
  await deliver([{ event: events[1], attempt: 1 }]);
  await deliver([...events, events[2]].map((event) => ({ event, attempt: 1 })));
  await deliver(first());
  expect(batches).toEqual([['C-1'], ['C-0', 'C-2', 'C-3', 'C-4']]);
  expect(await effects()).toHaveLength(5);
});

test('of a failing batch only the message at fault is failed', async () => {
  const deliver = deliverTo(async (trx, list) => {
    await write(trx, list);
    if (list.some(({ subject }) => subject === 'C-3')) throw new Error('cannot be digested');
  });
  const outcomes = await deliver(events.map((event) => ({ event, attempt: 1 })));
  expect(outcomes).toEqual([done, done, done, { retryAfterMs: 50 }, done]);
  expect((await effects()).map(({ subject }) => subject)).toEqual(['C-0', 'C-1', 'C-2', 'C-4']);
});

test.each([
  { comeTogether: true, who: 'each, full or not', taken: [1, 2] },
  { comeTogether: false, who: 'a full one alone where nothing comes to the others', taken: [0, 1] },
])('a batch takes its turn, $who; what is then tried alone does not, nor what nothing is done of', async (given) => {
  const { comeTogether, taken } = given;
  let turns = 0;
  const deliver = createDeliver({
    db: schema.db,
    queue: { ...queues.work, batch: 4 },
    logger: silent,
    comeTogether,
    inTurn: (work) => {
      turns += 1;
      return work();
    },
    handle: async (trx, list) => {
      await write(trx, list);
      if (list.some(({ subject }) => subject === 'C-3')) throw new Error('cannot be digested');
    },
  });
  await deliver([]);
  expect(turns).toBe(0);
  await deliver(first());
  expect(turns).toBe(taken[0]);
  await deliver(events.slice(1).map((event) => ({ event, attempt: 1 })));
  expect(turns).toBe(taken[1]);
  expect((await effects()).map(({ subject }) => subject)).toEqual(['C-0', 'C-1', 'C-2', 'C-4']);
});

test('waits grow with the tries; after the last one the message is kept as a dead letter', async () => {
  const deliver = deliverTo(() => Promise.reject(new Error('still broken')));
  expect(await deliver(first(1))).toEqual([{ retryAfterMs: 50 }]);
  expect(await deliver(first(2))).toEqual([{ retryAfterMs: 200 }]);
  expect(await schema.db('dead_letters')).toEqual([]);
  expect(await deliver(first(3))).toEqual([done]);
  expect(await deliver(first(3))).toEqual([done]);
  expect(await schema.db('dead_letters')).toMatchObject([
    { event_id: events[0]?.id, attempts: 3, error: 'still broken' },
  ]);
  expect(await schema.db('inbox')).toEqual([]);
});

const away = Object.assign(new Error('comms-service could not be asked'), { away: true });

test('while another service is away a message waits, longer each time, and is no nearer to being a dead letter', async () => {
  const deliver = deliverTo(() => Promise.reject(away));
  const waiting = async (waits?: number) => (await deliver([{ event: events[0], attempt: 3, waits }]))[0];
  expect(await waiting()).toEqual({ retryAfterMs: 50, uncounted: true });
  for (const waits of [1, 2, 1_000]) expect(await waiting(waits)).toEqual({ retryAfterMs: 200, uncounted: true });
  expect(await schema.db('dead_letters')).toEqual([]);
  const failing = deliverTo(() => Promise.reject(new Error('still broken')));
  expect(await failing([{ event: events[0], attempt: 1, waits: 1_000 }])).toEqual([{ retryAfterMs: 50 }]);
});

test('of a batch only what needs the other service waits', async () => {
  const deliver = deliverTo(async (trx, list) => {
    await write(trx, list);
    if (list.some(({ subject }) => subject === 'C-3')) throw away;
  });
  const outcomes = await deliver(events.map((event) => ({ event, attempt: 1 })));
  expect(outcomes).toEqual([done, done, done, { retryAfterMs: 50, uncounted: true }, done]);
  expect((await effects()).map(({ subject }) => subject)).toEqual(['C-0', 'C-1', 'C-2', 'C-4']);
});

test('what is broken and says so is kept at once', async () => {
  const deliver = deliverTo(() => Promise.reject(new BrokenEventError('end_date: is required')));
  expect(await deliver(first(1))).toEqual([done]);
  expect(await schema.db('dead_letters')).toMatchObject([{ attempts: 1, error: 'end_date: is required' }]);
});

test('a lost database is nobody’s fault: nothing is counted, nothing becomes a dead letter', async () => {
  const admin = schema.db;
  const deliver = deliverTo(async (trx, list) => {
    const { rows } = await trx.raw('SELECT pg_backend_pid() AS pid');
    await admin.raw('SELECT pg_terminate_backend(?)', [rows[0].pid]);
    await write(trx, list);
  });
  await expect(deliver(first(3))).rejects.toBeInstanceOf(DatabaseLostError);
  expect(await schema.db('dead_letters')).toEqual([]);
  expect(await deliverTo(write)(first(3))).toEqual([done]);
});

test.each([
  ['whose disk is full', '53100'],
  ['that takes no writes, as a standby does', '25006'],
])('nor is a database %s', async (_, code) => {
  const deliver = deliverTo((trx) => trx.raw(`DO $$ BEGIN RAISE 'not now' USING ERRCODE = '${code}'; END $$`));
  await expect(deliver(first(3))).rejects.toBeInstanceOf(DatabaseLostError);
  expect(await schema.db('dead_letters')).toEqual([]);
});

test('a network error of the handler’s own is its own failure', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(await deliverTo(() => Promise.reject(refused))(first())).toEqual([{ retryAfterMs: 50 }]);
});

test('a handler that swallows a failed statement has failed: its commit would have been a rollback', async () => {
  const deliver = deliverTo(async (trx, list) => {
    await write(trx, list);
    await trx.raw('SELECT 1 / 0').catch(() => undefined);
  });
  expect(await deliver(first())).toEqual([{ retryAfterMs: 50 }]);
  expect(await schema.db('inbox')).toEqual([]);
});

test('a constraint that fails at the commit is the message’s failure', async () => {
  await schema.db.raw(`CREATE TABLE once (subject text UNIQUE DEFERRABLE INITIALLY DEFERRED)`);
  const deliver = deliverTo((trx) => trx('once').insert([{ subject: 'twice' }, { subject: 'twice' }]));
  expect(await deliver(first())).toEqual([{ retryAfterMs: 50 }]);
});

/** Raises `code` at the COMMIT of whatever writes an effect of C-3. */
async function raiseAtCommit(code: string): Promise<void> {
  await schema.db.raw(`
    CREATE OR REPLACE FUNCTION raise_at_commit() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'raised at the commit' USING ERRCODE = '${code}'; END $$;
    DROP TRIGGER IF EXISTS late ON effects;
    CREATE CONSTRAINT TRIGGER late AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.subject = 'C-3') EXECUTE FUNCTION raise_at_commit()`);
}
const raiseNoMore = () => schema.db.raw('DROP FUNCTION raise_at_commit CASCADE');

test.each([
  ['a lock held for too long', '55P03'],
  ['a statement that took too long', '57014'],
  ['a function that is not there', '42883'],
  ['a fault of a trigger', 'P0001'],
  ['a fault of the server', 'XX000'],
])('%s at the commit is the failure of its message alone, and at last a dead letter', async (_, code) => {
  await raiseAtCommit(code);
  const deliver = deliverTo(write);
  const batch = (attempt: number) => events.map((event) => ({ event, attempt }));
  expect(await deliver(batch(1))).toEqual([done, done, done, { retryAfterMs: 50 }, done]);
  expect((await effects()).map(({ subject }) => subject)).toEqual(['C-0', 'C-1', 'C-2', 'C-4']);
  expect(await deliver(batch(3))).toEqual([done, done, done, done, done]);
  expect(await schema.db('dead_letters')).toMatchObject([
    { event_id: events[3]?.id, error: 'COMMIT; - raised at the commit' },
  ]);
  await raiseNoMore();
});

test.each([
  ['a connection that broke', '08006'],
  ['a full disk', '53100'],
  ['an error of the disk', '58030'],
  ['a shutdown', '57P01'],
  ['a transaction that said nothing for too long', '25P03'],
])('%s at the commit is nobody’s fault', async (_, code) => {
  await raiseAtCommit(code);
  const batch = events.map((event) => ({ event, attempt: 3 }));
  await expect(deliverTo(write)(batch)).rejects.toBeInstanceOf(DatabaseLostError);
  expect(await schema.db('dead_letters')).toEqual([]);
  await raiseNoMore();
  expect(await deliverTo(write)(batch)).toEqual([done, done, done, done, done]);
});

test('two consumers given the same messages at once do them once', async () => {
  const deliver = deliverTo(write);
  const batch = events.map((event) => ({ event, attempt: 1 }));
  await Promise.all([deliver(batch), deliver([...batch].reverse()), deliver(batch)]);
  expect(await effects()).toHaveLength(5);
});

test('what others leave out of an event may be said for them; a dead letter is as it came', async () => {
  const [{ subject: _, ...bare }, other] = events as [Envelope, Envelope];
  const complete = (event: unknown) => ({ subject: 'whoever', ...(event as object) });
  const list = [bare, other].map((event) => ({ event, attempt: 3 }));
  const lenient = { db: schema.db, queue: queues.work, logger: silent, complete };
  await createDeliver({ ...lenient, handle: () => Promise.reject(new BrokenEventError('broken')) })(list);
  const letters = await schema.db('dead_letters').orderBy('id');
  expect(letters.map(({ body }) => JSON.parse(body))).toEqual([bare, other]);
  await createDeliver({ ...lenient, handle: write })(list);
  expect((await effects()).map(({ subject }) => subject)).toEqual(['whoever', 'C-1']);
});

test('what the inbox or the tables could not keep is kept as a dead letter all the same', async () => {
  const deliver = deliverTo(() => Promise.reject(new Error('never reached: \u0000')));
  const odd = ['not JSON at all \u0000', null, { ...events[0], id: 'nul \u0000' }, { ...events[0], id: '\ud800' }];
  expect(await deliver(odd.map((event) => ({ event, attempt: 1 })))).toEqual([done, done, done, done]);
  const bodies = await schema.db('dead_letters').orderBy('id').pluck('body');
  expect(bodies.map((body) => JSON.parse(body))).toEqual(odd);
  await deliver(first(3));
  expect(await schema.db('dead_letters').where({ event_id: events[0]?.id })).toMatchObject([
    { error: 'never reached: \uFFFD' },
  ]);
});

test('two sources may number their events alike: each event counts, and each that fails is kept', async () => {
  const numbered = ['urn:policies', 'urn:permits'].map((source) => ({ ...events[0], id: '1', source }));
  const twice = [...numbered, ...numbered].map((event) => ({ event, attempt: 1 }));
  const seen: string[] = [];
  await deliverTo(async (_, list) => void seen.push(...list.map(({ source }) => source)))(twice);
  expect(seen).toEqual(['urn:policies', 'urn:permits']);
  await emptyTables(schema.db, 'inbox');
  const failing = deliverTo(() => Promise.reject(new Error('no')));
  await failing(numbered.map((event) => ({ event, attempt: 3 })));
  expect(await schema.db('dead_letters').orderBy('event_id').pluck('event_id')).toEqual([
    'urn:permits 1',
    'urn:policies 1',
  ]);
});

test('a message the broker gave up on is kept, unless the queue had taken it', async () => {
  const gaveUp = { queue: queues.audit.name, reason: 'its consumers died' };
  await schema.db('inbox').insert({ queue: queues.audit.name, event_id: events[0]?.id });
  const deliver = deliverTo(() => Promise.reject(new Error('must not be tried')));
  expect(await deliver(events.slice(0, 2).map((event) => ({ event, attempt: 1, gaveUp })))).toEqual([done, done]);
  expect(await schema.db('dead_letters')).toMatchObject([
    { queue: queues.audit.name, event_id: events[1]?.id, error: 'its consumers died' },
  ]);
});

test('who asked for it hears of a dead letter in the transaction that keeps it, of its own queue alone', async () => {
  const given: string[] = [];
  let fault: Error | undefined;
  const deliver = createDeliver({
    db: schema.db,
    queue: queues.work,
    logger: silent,
    handle: () => Promise.reject(new Error('still broken')),
    async gaveUp(trx, event) {
      given.push(event.subject);
      expect(await trx('dead_letters').pluck('event_id')).toContain(event.id);
      if (fault) throw fault;
    },
  });
  const byBroker = ({ name }: { name: string }) => ({ queue: name, reason: 'its consumers died' });
  await deliver(first(2));
  expect(given).toEqual([]);
  await deliver(first(3));
  await deliver([{ event: events[1], attempt: 1, gaveUp: byBroker(queues.work) }]);
  await deliver([{ event: events[2], attempt: 1, gaveUp: byBroker(queues.audit) }]);
  await deliver([{ event: 'no event', attempt: 1 }]);
  expect(given).toEqual(['C-0', 'C-1']);
  fault = new Error('cannot be told');
  await expect(deliver([{ event: events[3], attempt: 3 }])).rejects.toBeInstanceOf(DatabaseLostError);
  expect(await schema.db('dead_letters')).toHaveLength(4);
});

test('the handler works in the trace of its event', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  let seen: unknown;
  const deliver = deliverTo(async () => {
    seen = currentTrace.getStore();
  });
  await deliver([{ event: { ...events[0], traceparent, requestid: 'request-1' }, attempt: 1 }]);
  expect(seen).toEqual({ requestId: 'request-1', traceparent });
});
