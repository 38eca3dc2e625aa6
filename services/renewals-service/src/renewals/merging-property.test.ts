import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consume } from '@ops/bus/consumer';
import type { Envelope } from '@ops/contracts/envelope';
import type { RenewalImportRow } from '@ops/contracts/resources/import';
import { Decided, into } from '@ops/following/test/merges';
import { type Db, inTransaction } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { inTurns, type Work } from '@ops/service-kit/test/turns';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { seeded } from '@ops/test-kit/random';
import fc from 'fast-check';
import { cardOf } from '../../test/customers.ts';
import { astray, mergesAt } from '../../test/merging.ts';
import { policyIssued } from '../../test/upstream.ts';
import { insertRenewals, startWorld, type World } from '../../test/world.ts';
import type { Deps } from '../deps.ts';
import { renewalImport } from '../imports/import-service.ts';
import { refresh } from '../refresh/refresh-service.ts';
import { topology } from '../topology.ts';
import { takePublished } from '../upstream/upstream-service.ts';
import { completeRenewal } from './completion-service.ts';
import { createRenewal } from './renewal-service.ts';

let world: World;
let deps: Deps;
beforeAll(async () => {
  world = await startWorld();
  deps = { ...world.deps, customers: { cards: async (ids) => ids.map(cardOf) } };
});
afterAll(() => world.close());

async function empty(): Promise<void> {
  await world.empty();
  await emptyTables(world.db, 'customer_aliases', 'followed_customers', 'inbox', 'upstream_endings');
}

const people = ['A', 'B', 'C', 'D'] as const;

const person = fc.constantFrom(...people);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ merge: person, into: person }) },
  { weight: 2, arbitrary: fc.record({ undo: person }) },
  { weight: 3, arbitrary: fc.record({ make: person, policy: fc.constantFrom('P-1', 'P-2', null) }) },
  { weight: 2, arbitrary: fc.record({ say: person, days: fc.constantFrom(20, 50, 200) }) },
  { weight: 2, arbitrary: fc.constant({ night: true as const }) },
  { weight: 1, arbitrary: fc.record({ complete: fc.nat() }) },
  // Some of what was told so far comes, in whatever order, or comes again.
  { weight: 4, arbitrary: fc.record({ hear: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const { handle } = consume(topology.queues.upstream, (trx, events) => takePublished(deps, trx, events));
const upstream = (db: Db, event: Envelope) => inTransaction(db, (trx) => handle(trx, [event]));
const make = (db: Db, id: string, policy_id: string | null, due_date = '2026-05-20') =>
  inTransaction(db, (trx) =>
    createRenewal(deps, trx, id, { service_type: 'INSURANCE_POLICY', due_date, ...(policy_id ? { policy_id } : {}) }),
  ).catch(unlessRefused);

/** That there is one already, or that nobody may complete it, is an answer. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ProblemError)) throw error;
}

const nights = ['2026-03-03', '2026-03-25', '2026-04-22', '2026-05-08', '2026-05-15', '2026-05-22'];
const lastNight = '2026-05-25';

async function act(one: Step, decided: Decided, night: () => string | undefined, n: number): Promise<void> {
  if ('merge' in one) return decided.merge(one.merge, one.into);
  if ('undo' in one) return decided.undo(one.undo);
  if ('make' in one) return void (await make(world.db, one.make, one.policy));
  if ('say' in one) {
    const date = `2026-0${one.days === 20 ? 4 : one.days === 50 ? 5 : 9}-20`;
    const time = `2026-03-01T00:00:${String(n).padStart(2, '0')}Z`;
    return upstream(world.db, policyIssued('P-1', date, { customer_id: one.say }, { time }));
  }
  if ('night' in one) {
    const date = night();
    return void (date && (await world.night(date, 2)));
  }
  if ('complete' in one) {
    const ids = await world.db('renewals').orderBy('id').pluck<string[]>('id');
    const id = ids[one.complete % (ids.length || 1)];
    if (!id) return;
    await inTransaction(world.db, (trx) => completeRenewal(deps, trx, id, {}, undefined)).catch(unlessRefused);
    return;
  }
  const told = one.hear.flatMap((at) => decided.told[at % (decided.told.length || 1)] ?? []);
  await mergesAt(world.db, deps).follow(...told);
}

/** Each rung of each date once, and what was told is what the ledger holds. */
async function checkAlerts(): Promise<void> {
  const told = (await world.db('outbox').where({ type: 'RENEWAL_TRIGGERED' })).map(({ event }) => event.data);
  const keys = told.map(({ renewal_id, due_date, rung }) => `${renewal_id} ${due_date} ${rung}`);
  const fired = await world.db('alerts').where({ state: 'FIRED', step: '0' });
  expect(keys.sort()).toEqual(
    fired.map(({ renewal_id, due_date, rung }) => `${renewal_id} ${due_date} ${rung}`).sort(),
  );
}

test('whatever is merged and taken back, made and told meanwhile: each row is whose its id leads to, and each rung fires once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      await empty();
      const decided = new Decided();
      const left = [...nights];
      for (const [n, one] of steps.entries()) {
        await act(one, decided, () => left.shift(), n);
        expect(await astray(world.db)).toEqual([]);
      }
      await mergesAt(world.db, deps).follow(...decided.told.toReversed());
      await world.night(lastNight, 2);
      expect(await astray(world.db)).toEqual([]);
      for (const { customer_id, written_under } of await world.db('renewals'))
        expect(customer_id).toBe(decided.leadOf(written_under ?? customer_id));
      await checkAlerts();
      const due = await world.db('renewals').whereNull('closed_at').where('next_alert_on', '<=', lastNight);
      expect(due).toEqual([]);
    }),
    { numRuns: 20, seed: 20_260_301 },
  );
});

const row = (customer_id: string, due_date: string): RenewalImportRow => ({
  customer_id,
  service_type: 'INSURANCE_POLICY',
  due_date,
  policy_id: 'P-1',
});
const noAlerts = { foresee: async () => [] };

/** What somebody does while a merge is followed. */
const meanwhile: [string, (db: Db, ids: string[]) => Promise<unknown>][] = [
  ['a refresh', (db) => refresh(world.newRefresher(2, db), { started_by: null })],
  ['whoever makes one under the old id', (db) => make(db, 'A', 'P-1')],
  [
    'whoever completes one',
    (db, ids) => inTransaction(db, (trx) => completeRenewal(deps, trx, ids[0] as string, {}, undefined)),
  ],
  ['an event about the old id', (db) => upstream(db, policyIssued('P-1', '2026-06-01', { customer_id: 'A' }))],
  [
    'an import',
    (db) =>
      inTransaction(db, (trx) => renewalImport({ ...deps, alerts: noAlerts }).take(trx, [row('A', '2026-05-20')], {})),
  ],
];

test.each(meanwhile)('statement by statement beside %s, nothing is left astray, lost or doubled', async (_, work) => {
  for (const seed of [1, 2, 3]) {
    await empty();
    world.setToday('2026-03-02');
    const given = ['A', 'A', 'B', 'B'].map((customer_id, n) => ({ customer_id, due_date: `2026-03-${10 + n}` }));
    const ids = await insertRenewals(world.db, given);
    const merging: Work = (db) => mergesAt(db, deps).follow(into('A', 'B', 1));
    await inTurns(world, seeded(seed), [merging, (db) => work(db, ids)]);
    expect(await astray(world.db)).toEqual([]);
    await world.night('2026-03-02');
    await checkAlerts();
    const fired = await world.db('alerts').where({ state: 'FIRED' }).whereIn('renewal_id', ids);
    const open = await world.db('renewals').whereIn('id', ids).where('status', '<>', 'COMPLETED');
    expect(fired.length).toBeGreaterThanOrEqual(open.length);
    const named = await world.db('renewals').where({ policy_id: 'P-1' }).whereNull('closed_at');
    expect(named.length).toBeLessThanOrEqual(1);
    await mergesAt(world.db, deps).follow(into('A', null, 2));
    const back = await world.db('renewals').whereIn('id', ids).orderBy('id');
    expect(back.map(({ customer_id }) => customer_id)).toEqual(['A', 'A', 'B', 'B']);
  }
});
