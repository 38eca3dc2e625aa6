import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Db } from '@ops/service-kit/database';
import { eventually } from '@ops/test-kit/eventually';
import { allowed, type Desk, openDesk, queuedMessage, receiptOf } from '../../test/desk.ts';
import type { Comms } from '../deps.ts';
import { createPace } from '../pacing/pacing.rules.ts';
import { createSendingWorker } from './sending-worker.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const pace = (atOnce: number) =>
  createPace({ perSecond: 1_000, atOnce, failures: 1_000, coolDownMs: 1_000 }, desk.deps.now().getTime());

/** As another process of the same service has it. */
const worker = ({ deps = desk.deps, db = desk.db, atOnce = 7 } = {}) =>
  createSendingWorker({
    deps,
    db,
    ended: () => undefined,
    paces: { MESSAGING_APP: pace(atOnce), EMAIL: pace(atOnce), SMS: pace(atOnce) },
  });

async function untilNothingIsDue(workers: { runOnce(): Promise<{ taken: number }> }[]): Promise<void> {
  for (;;) {
    const rounds = await Promise.all(workers.map((one) => one.runOnce()));
    if (rounds.every(({ taken }) => taken === 0)) return;
  }
}

test('many workers send each message once, each customer’s in the order they were queued', async () => {
  const messages = Array.from({ length: 120 }, (_, n) => queuedMessage({ customer_id: `C-${n % 8}` }));
  for (const message of messages) await desk.queue(message);
  await untilNothingIsDue(Array.from({ length: 5 }, () => worker()));
  expect(desk.sent).toHaveLength(120);
  expect(await desk.db('sends').whereNot({ status: 'SENT' })).toEqual([]);
  for (let customer = 0; customer < 8; customer++) {
    const queued = messages.filter((_, n) => n % 8 === customer).map(({ body }) => body);
    const sent = desk.sent.map(({ message }) => message.body).filter((body) => queued.includes(body));
    expect(sent).toEqual(queued);
  }
});

test.each([
  { chance: 0, sent: { soon: 4, later: 1 } },
  { chance: 0.9, sent: { soon: 2, later: 3 } },
])('what somebody wrote or has sent again mostly goes before what a night brings: $sent', async ({ chance, sent }) => {
  const messages = (kind: string) => [1, 2, 3].map((n) => queuedMessage({ customer_id: `${kind}-${n}` }));
  await desk.queue(...messages('later'), queuedMessage({ customer_id: 'soon-4', attempt: 2 }));
  await desk.db('sends').update({ expires_at: null });
  desk.passMs(60_000);
  await desk.queue(...messages('soon'));
  await worker({ atOnce: 5, deps: { ...desk.deps, random: () => chance } }).runOnce();
  const left: { customer_id: string }[] = await desk.db('sends').where({ status: 'SENT' });
  const kinds = left.map(({ customer_id }) => customer_id.split('-')[0]);
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  expect({ soon: count('soon'), later: count('later') }).toEqual(sent);
});

test('one message of a customer on a channel is in work at a time', async () => {
  let inWork = 0;
  let most = 0;
  const act = async () => {
    most = Math.max(most, ++inWork);
    await desk.db.raw('SELECT pg_sleep(0.01)');
    inWork -= 1;
    return { kind: 'accepted', providerMessageId: null } as const;
  };
  const messages = Array.from({ length: 10 }, () => queuedMessage());
  desk.next(...messages.map(() => act));
  await desk.queue(...messages);
  await untilNothingIsDue([worker(), worker(), worker()]);
  expect([desk.sent.length, most]).toEqual([10, 1]);
});

test('a message that comes due while a later one is in work waits for it', async () => {
  await desk.queue(queuedMessage({ send_after: '2026-03-01T10:00:10.000Z' }), queuedMessage());
  desk.next(async () => {
    desk.passMs(10_000);
    expect(await worker().runOnce()).toEqual({ taken: 0 });
    return { kind: 'accepted', providerMessageId: 'SM1' };
  });
  expect(await worker().runOnce()).toEqual({ taken: 1 });
  expect(await worker().runOnce()).toEqual({ taken: 1 });
});

test('what another is taking at this moment is passed over, not waited for', async () => {
  await desk.queue(queuedMessage(), queuedMessage({ customer_id: 'C-2' }));
  const another = await desk.db.transaction();
  await another.raw("SELECT FROM sends WHERE customer_id = 'C-1' FOR UPDATE");
  expect(await worker().runOnce()).toEqual({ taken: 1 });
  await another.rollback();
  expect(await worker().runOnce()).toEqual({ taken: 1 });
});

/** A worker that waits for comms-service until it is let go. */
function heldUp() {
  const held = Promise.withResolvers<void>();
  const maySend: Comms['maySend'] = (...asked) => held.promise.then(() => desk.deps.comms.maySend(...asked));
  return { ...worker({ deps: { ...desk.deps, comms: { ...desk.deps.comms, maySend } } }), letGo: held.resolve };
}

test('a worker whose claim ran out before anything left leaves the message to whose it is now', async () => {
  const [late, next] = [heldUp(), heldUp()];
  await desk.queue(queuedMessage());
  const first = late.runOnce();
  const firstClaim = await claimOtherThan(null);
  desk.passMs(desk.deps.leaseMs);
  const second = next.runOnce();
  await claimOtherThan(firstClaim);
  late.letGo();
  await first;
  expect(desk.sent).toEqual([]);
  next.letGo();
  await second;
  expect(desk.sent).toHaveLength(1);
  expect(await desk.told()).toMatchObject([{ status: 'SENT' }]);
});

test('a worker whose claim ran out does not end what another is sending, though it was told to', async () => {
  const [late, next] = [heldUp(), heldUp()];
  await desk.queue(queuedMessage());
  desk.next(async () => {
    desk.maySend(() => ({ ...allowed, may_send: false, reason: { code: 'opted_out', message: 'No' } }));
    late.letGo();
    await first;
    return { kind: 'accepted', providerMessageId: 'SM1' };
  });
  const first = late.runOnce();
  const firstClaim = await claimOtherThan(null);
  desk.passMs(desk.deps.leaseMs);
  const second = next.runOnce();
  await claimOtherThan(firstClaim);
  next.letGo();
  await second;
  expect(await desk.told()).toMatchObject([{ status: 'SENT' }]);
});

test.each([
  ['may be sent', allowed],
  ['may not be sent', { ...allowed, may_send: false, reason: { code: 'opted_out', message: 'No' } }],
])(
  'what a receipt proves to have been sent while it was asked for is neither sent nor failed: %s',
  async (_, answer) => {
    const late = heldUp();
    const message = queuedMessage();
    await desk.queue(message);
    const turn = late.runOnce();
    await claimOtherThan(null);
    const { id } = await desk.send(message.communication_id);
    await desk.receive(receiptOf({ attempt_id: id as string, status: 'SENT' }));
    desk.maySend(() => answer);
    late.letGo();
    await turn;
    expect(desk.sent).toEqual([]);
    expect(await desk.told()).toMatchObject([{ status: 'SENT' }]);
  },
);

const claimOtherThan = (other: string | null): Promise<string> =>
  eventually(async () => {
    const { claim } = await desk.db('sends').first();
    expect([null, other]).not.toContain(claim);
    return claim;
  });

test('left on the wire it is never taken again; the sweep calls it uncertain, once', async () => {
  const message = queuedMessage();
  await desk.queue(message);
  const on_wire_at = desk.deps.now();
  const claim = '0197a3f0-0000-7000-8000-00000000dead';
  await desk.db('sends').update({ on_wire_at, claim, claimed_until: on_wire_at, tries: 1 });
  expect(await worker().runOnce()).toEqual({ taken: 0 });
  expect(await Promise.all([desk.sweep(), desk.sweep()])).toContainEqual({ interrupted: 1, expired: 0 });
  desk.passMs(3_600_000);
  expect(await worker().runOnce()).toEqual({ taken: 0 });
  expect(await desk.told()).toMatchObject([{ status: 'UNCERTAIN', failure: { code: 'interrupted' } }]);
  expect(desk.sent).toEqual([]);
});

test('a worker taken for dead that comes back with the answer tells the truth after all', async () => {
  const message = queuedMessage();
  desk.next(async () => {
    desk.passMs(desk.deps.leaseMs);
    expect(await desk.sweep()).toEqual({ interrupted: 1, expired: 0 });
    return { kind: 'accepted', providerMessageId: 'SM1' };
  });
  await desk.queue(message);
  await worker().runOnce();
  expect((await desk.told()).map(({ status }) => status)).toEqual(['UNCERTAIN', 'SENT']);
});

test('a worker taken for dead that comes back with a no does not have it sent again', async () => {
  desk.next(async () => {
    desk.passMs(desk.deps.leaseMs);
    await desk.sweep();
    return { kind: 'not_taken', reason: 'HTTP 429' };
  });
  await desk.queue(queuedMessage());
  await worker().runOnce();
  desk.passMs(3_600_000);
  expect(await worker().runOnce()).toEqual({ taken: 0 });
  expect((await desk.told()).map(({ status }) => status)).toEqual(['UNCERTAIN']);
});

test('what came of it is recorded also when the database fails at first', async () => {
  let failures = 3;
  const { outbox } = desk.deps;
  const addMany: typeof outbox.addMany = async (...given) => {
    if (failures-- > 0) throw new Error('away');
    return outbox.addMany(...given);
  };
  await desk.queue(queuedMessage());
  await worker({ deps: { ...desk.deps, outbox: { ...outbox, addMany } } }).runOnce();
  expect(desk.sent).toHaveLength(1);
  expect(await desk.told()).toMatchObject([{ status: 'SENT' }]);
});

test('what the database broke off untried is given back, and nothing of its customer waits until its claim has run out', async () => {
  await desk.db.raw(`
    CREATE SEQUENCE given_back;
    CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('given_back') <= 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
        RETURN NEW;
      END $$;
    CREATE TRIGGER cut_off BEFORE UPDATE ON sends FOR EACH ROW WHEN (NEW.claim IS NULL) EXECUTE FUNCTION cut_off()`);
  desk.maySend(() => 'away');
  await desk.queue(queuedMessage(), queuedMessage());
  await worker().runOnce();
  desk.maySend(() => allowed);
  desk.passMs(4_000);
  expect(await worker().runOnce()).toEqual({ taken: 1 });
  expect(await worker().runOnce()).toEqual({ taken: 1 });
});

test('what was claimed and never heard of is given back before more is claimed', async () => {
  const unheard = worker({ db: answerLostOnce(desk.db) });
  await desk.queue(queuedMessage());
  await expect(unheard.runOnce()).rejects.toThrow('Connection terminated');
  expect(await worker().runOnce()).toEqual({ taken: 0 });
  expect(await unheard.runOnce()).toEqual({ taken: 1 });
  expect(desk.sent).toHaveLength(1);
});

/** What first finds something is done, and nobody hears of it. */
function answerLostOnce(db: Db): Db {
  let isLost = false;
  const raw = async (...statement: Parameters<Db['raw']>) => {
    const answer = await db.raw(...statement);
    if (isLost || answer.rowCount === 0) return answer;
    isLost = true;
    throw new Error('Connection terminated unexpectedly');
  };
  return new Proxy(db, { get: (of, name) => (name === 'raw' ? raw : Reflect.get(of, name)) });
}

test('a provider in trouble is left alone, and what waits for it waits in the table', async () => {
  await desk.close();
  desk = await openDesk({ failures: 3, coolDownMs: 30_000 });
  const messages = Array.from({ length: 6 }, (_, n) => queuedMessage({ customer_id: `C-${n}` }));
  desk.next(...[1, 2, 3].map(() => ({ kind: 'uncertain', reason: 'HTTP 500' }) as const));
  await desk.queue(...messages.slice(0, 3));
  await desk.worker.runOnce();
  await desk.queue(...messages.slice(3));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(30_000);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(await desk.worker.runOnce()).toEqual({ taken: 2 });
});

test('another channel goes on meanwhile', async () => {
  await desk.close();
  desk = await openDesk({ failures: 1 });
  desk.next({ kind: 'uncertain', reason: 'HTTP 500' });
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  await desk.queue(queuedMessage(), queuedMessage({ type: 'EMAIL', to: 'ada@example.com' }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});
