import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RenewalSummary } from '@ops/contracts/resources/renewal';
import { type Db, inTransaction, rows } from '@ops/service-kit/database';
import { inTurns, type Work } from '@ops/service-kit/test/turns';
import { seeded } from '@ops/test-kit/random';
import fc from 'fast-check';
import { tellOfAgents } from '../../test/notifier.ts';
import { insertRenewals, startWorld, type World } from '../../test/world.ts';
import { addUpCounts, summariseRenewals } from './queue-service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await tellOfAgents(world.db, 'ada', 'bob');
});
afterAll(() => world.close());

const dates = ['2026-02-27', '2026-03-02', '2026-03-08', '2026-03-09', '2026-08-30', '2026-08-31', '2027-01-01'];

/** What statements change of renewals, several at a time, whichever there are. */
const changes = {
  date: "due_date = CASE WHEN due_date < '2026-06-01' THEN DATE '2026-08-30' ELSE DATE '2026-03-09' END",
  close: "status = 'COMPLETED', closed_at = now(), closed_from = 'UPCOMING', next_alert_on = NULL",
  open: "status = 'UPCOMING', closed_at = NULL, closed_from = NULL",
  agent: "assigned_agent = CASE WHEN assigned_agent = 'ada' THEN NULL ELSE 'ada' END",
  customer: "customer_agent = CASE WHEN customer_agent = 'bob' THEN 'ghost' ELSE 'bob' END",
  type: "service_type = 'WORK_PERMIT'",
  notes: "notes = 'nothing that counts'",
};

const most = 12;
const some = fc.nat({ max: most - 1 });
const step = fc.oneof(
  fc.record({ make: fc.array(fc.constantFrom(...dates), { minLength: 1, maxLength: 3 }) }),
  fc.record({ change: fc.constantFrom(...Object.values(changes)), from: some, to: some }),
  fc.record({ remove: some }),
  fc.constant({ addUp: true as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** One transaction, which may come to nothing. */
const transaction = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  fails: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
});

async function act(db: Db, one: Step): Promise<void> {
  const those = 'SELECT id FROM renewals ORDER BY id OFFSET ? LIMIT ? FOR UPDATE';
  if ('make' in one)
    await insertRenewals(
      db,
      one.make.map((due_date) => ({ due_date })),
    );
  else if ('remove' in one) await db.raw(`DELETE FROM renewals WHERE id IN (${those})`, [one.remove, 1]);
  else if ('change' in one)
    await db.raw(`UPDATE renewals SET ${one.change} WHERE id IN (${those})`, [
      one.from,
      1 + Math.abs(one.to - one.from),
    ]);
}

class Undone extends Error {}

const work =
  (transactions: readonly { steps: readonly Step[]; fails: boolean }[]): Work =>
  async (db) => {
    for (const { steps, fails } of transactions)
      await inTransaction(db, async (trx) => {
        for (const one of steps) await ('addUp' in one ? addUpCounts(trx) : act(trx, one));
        if (fails) throw new Undone();
      }).catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
  };

/** As a look at each renewal has it. */
async function counted(responsible: string | undefined): Promise<Omit<RenewalSummary, 'as_of'>> {
  const isTheirs = {
    all: 'true',
    nobody: "coalesce(assigned_agent, customer_agent, '') NOT IN ('ada', 'bob')",
    one: `coalesce(assigned_agent, customer_agent) = '${responsible}'`,
  }[responsible === undefined ? 'all' : responsible === '' ? 'nobody' : 'one'];
  const by_service_type = await rows<RenewalSummary['by_service_type'][number]>(
    world.db,
    `SELECT service_type, status, count(*)::int FROM renewals WHERE ${isTheirs} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const by_week = await rows<RenewalSummary['by_week'][number]>(
    world.db,
    `SELECT date_trunc('week', due_date)::date AS week, service_type, count(*)::int FROM renewals
     WHERE ${isTheirs} AND closed_at IS NULL AND due_date >= '2026-03-02' AND due_date < '2026-08-31'
     GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  return { by_service_type, by_week };
}

async function expectExact(): Promise<void> {
  for (const agent of [undefined, 'ada', 'bob', '']) {
    const query = agent === undefined ? {} : { assigned_agent: agent };
    expect(await summariseRenewals(world.deps, world.db, query)).toEqual({ as_of: null, ...(await counted(agent)) });
  }
}

test('whatever two do at once to renewals, undone or not, the summary counts those there are', async () => {
  const transactions = fc.array(transaction, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(transactions, transactions, fc.nat(), async (one, other, seed) => {
      await world.empty();
      await insertRenewals(
        world.db,
        dates.map((due_date) => ({ due_date })),
      );
      await inTurns(world, seeded(seed), [work(one), work(other)]);
      await expectExact();
      await inTransaction(world.db, addUpCounts);
      expect(await world.db('renewal_count_changes')).toEqual([]);
      await expectExact();
    }),
    { numRuns: 25, seed: 20_260_317 },
  );
});

test('counts of nothing are not kept', async () => {
  await insertRenewals(
    world.db,
    dates.map((due_date) => ({ due_date })),
  );
  await inTransaction(world.db, addUpCounts);
  await world.empty();
  await inTransaction(world.db, addUpCounts);
  expect([await world.db('renewal_counts'), await world.db('open_renewal_counts')]).toEqual([[], []]);
});
