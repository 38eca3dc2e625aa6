import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventOf } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import { inTransaction, rows } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { deps, said, taken } from '../../test/message.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { logPlanned } from '../communications/planned-service.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';

// For a hang: the work is the same on a slow machine.

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const people = 4;
const writings = ['inbound', 'note', 'call', 'send', 'line', 'upload', 'put'] as const;
const kinds = [
  ...(['merge', 'merge', 'merge', 'undo', 'undo', 'several', 'answer', 'answer', 'move', 'shared', 'shared'] as const),
  ...(['stranger', 'link', 'done', 'snooze', 'read', 'stop'] as const),
  ...writings,
];
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    who: fc.nat(people - 1),
    other: fc.nat(people - 1),
    which: fc.nat(50),
    together: fc.array(fc.constantFrom(...writings), { minLength: 2, maxLength: 4 }),
  }),
  { minLength: 15, maxLength: 30, size: 'max' },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

interface Kept {
  id: string;
  /** The id it was written under; null: nobody knows whose it is. */
  under: string | null;
  sender: 'own' | 'shared' | 'stranger' | null;
  direction: string;
  type: string;
  /** By whose merge it became clear. */
  claimedBy?: string;
}

let turns = 0;

/** What leads where and what was written under which id, said once more without a table. */
async function newWorld() {
  turns += 1;
  const number = String(turns).padStart(5, '0');
  const ids = Array.from({ length: people }, (_, n) => `one-${turns}-${n}`);
  const shared = `+44779${number}9`;
  const world = {
    ids,
    phones: ids.map((_, n) => `+4478${n}${number}1`),
    shared,
    stranger: `stranger${turns}@example.com`,
    into: new Map<string, string>(),
    records: [] as Kept[],
    lines: [] as { id: string; under: string }[],
    /** Under which ids the stranger is known. */
    known: new Set<string>(),
  };
  for (const [n, id] of ids.entries())
    await service.put(staff, `/ops/customers/${id}`, { name: `Demo ${id}`, phones: phonesOf(world, n) });
  return world;
}
type World = Awaited<ReturnType<typeof newWorld>>;

/** The first two share a number. */
const phonesOf = ({ phones, shared }: Pick<World, 'phones' | 'shared'>, n: number) => [
  phones[n] as string,
  ...(n < 2 ? [shared] : []),
];

const homeOf = ({ into }: World, id: string): string => {
  const next = into.get(id);
  return next === undefined ? id : homeOf({ into } as World, next);
};

/** Under which id a message of one whom these ids have is written; null: they are several people. */
function placed(world: World, holders: readonly string[]): string | null {
  const homes = new Set(holders.map((id) => homeOf(world, id)));
  if (homes.size !== 1) return null;
  const [home] = homes;
  return holders.find((id) => id === home) ?? [...holders].sort()[0] ?? null;
}

const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(from.length, 1)];
async function post(path: string, body: object): Promise<Communication> {
  const answer = await service.post<Communication>(staff, path, body);
  expect(answer.status).toBe(201);
  return answer.body;
}

const keep = (world: World, record: Communication, under: string): void =>
  void world.records.push({ id: record.id, under, sender: null, direction: record.direction, type: record.type });

/** Says something under an id, which may be an alias; what comes of it is the same whenever it happens. */
async function write(kind: (typeof writings)[number], world: World, n: number): Promise<void> {
  const id = world.ids[n] as string;
  const path = `/ops/customers/${id}`;
  switch (kind) {
    case 'inbound': {
      const message = said({ channel: 'SMS', sender: { phone: world.phones[n] as string } });
      await taken(service, message);
      return void world.records.push({
        id: message.item_id,
        under: id,
        sender: 'own',
        direction: 'INBOUND',
        type: 'SMS',
      });
    }
    case 'note':
      return keep(world, await post(`${path}/notes`, { body: 'Hello' }), id);
    case 'call': {
      const call = { type: 'CALL_LOG', direction: 'INTERNAL', body: 'Hello', subject: 'Call' };
      return keep(world, await post(`${path}/communications`, call), id);
    }
    case 'send': {
      const send_id = uuidv7();
      const data = { ...planned, customer_id: id, send_id };
      await inTransaction(service.db, (trx) => logPlanned(deps, trx, [envelope('communication.send', data)]));
      return void world.records.push({ id: send_id, under: id, sender: null, direction: 'OUTBOUND', type: 'SMS' });
    }
    case 'line': {
      const event = envelope('RENEWAL_COMPLETED', { customer_id: id, occurred_at: at, renewal_id: uuidv7() });
      await inTransaction(service.db, (trx) =>
        writeTimeline(trx, [event as unknown as Parameters<typeof writeTimeline>[1][number]]),
      );
      return void world.lines.push({ id: event.id, under: id });
    }
    case 'upload': {
      const row = {
        id: uuidv7(),
        customer_id: id,
        role: 'file',
        source: 'uploaded',
        state: 'STORED',
        media_type: 'text/plain',
      };
      return void (await service.db('attachments').insert({ ...row, created_at: new Date() }));
    }
    case 'put':
      return void (await service.put(automation, path, {
        name: `Demo ${id}`,
        phones: phonesOf(world, n),
        locale: 'de',
      }));
  }
}

const at = '2026-03-01T12:00:00Z';
const planned = {
  occurred_at: at,
  type: 'SMS',
  subject: null,
  body: 'Hello',
  renewal_id: null,
  renewal_ids: [],
  send_after: null,
  send_after_reason: null,
};
const envelope = (type: string, data: object) =>
  ({
    specversion: '1.0',
    id: uuidv7(),
    source: 'test',
    type,
    subject: null,
    time: at,
    data,
  }) as unknown as EventOf<'communication.send'>;

async function take(step: Step, world: World): Promise<void> {
  const id = world.ids[step.who] as string;
  const home = homeOf(world, id);
  const path = `/ops/customers/${id}`;
  const here = world.records.filter(({ under }) => under !== null && homeOf(world, under) === home);
  switch (step.kind) {
    case 'merge':
      return merge(world, id, world.ids[step.other] as string);
    case 'undo':
      return undo(world, id);
    case 'several': {
      const change = step.which % 2 === 0 ? merge(world, id, world.ids[step.other] as string) : undo(world, id);
      const others = step.together.flatMap((kind, n) => [
        write(kind, world, (step.who + n) % people),
        write(kind, world, step.who),
      ]);
      return void (await Promise.all([change, ...others]));
    }
    case 'answer': {
      const answered = pick(
        here.filter(({ type }) => type === 'SMS'),
        step.which,
      );
      if (!answered) return;
      const answer = { type: 'SMS', direction: 'OUTBOUND', body: 'Hello', in_reply_to: answered.id };
      return keep(world, await post(`${path}/communications`, answer), answered.under as string);
    }
    case 'move': {
      const movable = pick(
        here.filter(({ direction }) => direction !== 'OUTBOUND'),
        step.which,
      );
      const target = world.ids[step.other] as string;
      if (!movable) return;
      const moved = await service.post(staff, `/ops/communications/${movable.id}/move`, { customer_id: target });
      expect(moved.status).toBe(200);
      if (homeOf(world, target) !== home) Object.assign(movable, { under: target, claimedBy: undefined });
      return;
    }
    case 'shared':
    case 'stranger': {
      const isShared = step.kind === 'shared';
      const sender = isShared ? { phone: world.shared } : { email: world.stranger, phone: null };
      const message = said({ channel: isShared ? 'SMS' : 'EMAIL', sender });
      await taken(service, message);
      const under = placed(world, isShared ? world.ids.slice(0, 2) : [...world.known]);
      const type = isShared ? 'SMS' : 'EMAIL';
      return void world.records.push({ id: message.item_id, under, sender: step.kind, direction: 'INBOUND', type });
    }
    case 'link': {
      const waiting = world.records.filter(({ under, sender }) => under === null && sender === 'stranger');
      if (!waiting[0]) return;
      const linked = await service.post(staff, `/ops/unmatched/${waiting[0].id}/link`, { customer_id: id });
      expect(linked.status).toBe(200);
      for (const message of waiting) message.under = id;
      return void world.known.add(id);
    }
    case 'done':
      return void expect(await service.patch(staff, `${path}/attention`, { state: 'done' })).toMatchObject({
        status: 200,
      });
    case 'snooze': {
      const until = new Date(Date.now() + 86_400_000).toISOString();
      const { status } = await service.patch(staff, `${path}/attention`, { state: 'snoozed', until });
      return void expect([200, 409]).toContain(status);
    }
    case 'read':
      return void (await service.patch(staff, `${path}/communications/read`));
    case 'stop': {
      const body = step.which % 2 === 0 ? 'STOP' : 'START';
      return keep(world, await post(`${path}/communications`, { type: 'SMS', direction: 'INBOUND', body }), id);
    }
    default:
      return write(step.kind, world, step.who);
  }
}

async function merge(world: World, id: string, into: string): Promise<void> {
  const [home, survivor] = [homeOf(world, id), homeOf(world, into)];
  const { status } = await service.post(staff, `/ops/customers/${id}/merge`, { into });
  if (into === id || (home === id && survivor === id)) return expect(status).toBe(422);
  if (home !== id) return expect(status).toBe(home === survivor ? 200 : 409);
  expect(status).toBe(200);
  world.into.set(id, survivor);
  const under = placed(world, world.ids.slice(0, 2));
  if (under === null) return;
  for (const one of world.records)
    if (one.under === null && one.sender === 'shared') Object.assign(one, { under, claimedBy: id });
}

async function undo(world: World, id: string): Promise<void> {
  const survivor = world.into.get(id);
  const { status } = await service.post(staff, `/ops/customers/${id}/unmerge`);
  if (survivor === undefined) return expect(status).toBe(200);
  if (world.into.has(survivor)) return expect(status).toBe(409);
  expect(status).toBe(200);
  world.into.delete(id);
  for (const one of world.records) if (one.claimedBy === id) Object.assign(one, { under: null, claimedBy: undefined });
}

/** Every row is where the id leads that it was written under, and every count and everybody who waits as they are counted anew. */
const ASTRAY = `
  WITH RECURSIVE up (id, home) AS (
    SELECT k.id, k.id FROM customers k
    UNION ALL
    SELECT u.id, a.merged_into FROM up u JOIN customer_aliases a ON a.customer_id = u.home WHERE a.merged_into IS NOT NULL
  ), leads AS (
    SELECT u.id, u.home FROM up u LEFT JOIN customer_aliases a ON a.customer_id = u.home WHERE a.merged_into IS NULL
  ), written AS (
    SELECT 'communications' AS place, id::text, customer_id, written_under FROM communications
    UNION ALL SELECT 'timeline', event_id, customer_id, written_under FROM timeline
    UNION ALL SELECT 'attachments', id::text, customer_id, written_under FROM attachments
    UNION ALL SELECT 'opt_outs', id::text, customer_id, written_under FROM opt_outs
    UNION ALL SELECT 'customers', id, coalesce(leads_to, id), id FROM customers
  )
  SELECT w.place, w.id FROM written w LEFT JOIN leads l ON l.id = coalesce(w.written_under, w.customer_id)
  WHERE w.customer_id IS NOT NULL AND w.customer_id IS DISTINCT FROM l.home
  UNION ALL
  SELECT 'attention', a.customer_id FROM attention a
  WHERE a.waiting_since IS DISTINCT FROM (SELECT min(u.occurred_at) FROM unanswered(a.customer_id, a.done_at, a.done_id) u)
  UNION ALL
  SELECT 'line apart from its record', t.event_id FROM timeline t JOIN communications c ON c.id = t.communication_id
  WHERE t.customer_id IS DISTINCT FROM c.customer_id`;

async function look(world: World): Promise<void> {
  expect(await rows(service.db, ASTRAY)).toEqual([]);
  for (const id of world.ids) {
    const here = ({ under }: { under: string | null }) => under !== null && homeOf(world, under) === homeOf(world, id);
    const { body } = await service.get<Page<Communication> & { unread_count: number }>(
      staff,
      `/ops/customers/${id}/communications?limit=200`,
    );
    expect(body.data.map((one) => one.id).sort()).toEqual(
      world.records
        .filter(here)
        .map((one) => one.id)
        .sort(),
    );
    expect(body.unread_count).toBe(body.data.filter(({ unread }) => unread).length);
    const customer = (await service.get<CustomerDetail>(staff, `/ops/customers/${id}`)).body;
    expect(customer.id).toBe(homeOf(world, id));
    const lines = (
      await service.get<Page<{ id: string; type: string }>>(staff, `/ops/customers/${id}/timeline?limit=200`)
    ).body.data;
    const ofRenewals = lines.filter(({ type }) => type.startsWith('RENEWAL')).map((one) => one.id);
    expect(ofRenewals.sort()).toEqual(
      world.lines
        .filter(here)
        .map((one) => one.id)
        .sort(),
    );
    const together = world.ids.filter((one) => homeOf(world, one) === homeOf(world, id));
    expect([...customer.phones].sort()).toEqual(
      [...new Set(together.flatMap((one) => phonesOf(world, world.ids.indexOf(one))))].sort(),
    );
  }
}

test('whatever is merged, taken back and said meanwhile: each record is where the id leads that it was written under', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (mix) => {
      const world = await newWorld();
      for (const step of mix) {
        await take(step, world);
        if (['merge', 'undo', 'several', 'move', 'link'].includes(step.kind)) await look(world);
      }
      for (const id of world.ids) await undo(world, id);
      await look(world);
    }),
    {
      seed: Number(process.env.MERGING_SEED ?? 20_261_125),
      numRuns: Number(process.env.MERGING_RUNS ?? 8),
      endOnFailure: true,
    },
  );
});
