import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consume } from '@ops/bus/consumer';
import type { Envelope } from '@ops/contracts/envelope';
import { inTransaction } from '@ops/service-kit/database';
import fc from 'fast-check';
import { permitApproved, permitWithdrawn, policyCancelled, policyIssued } from '../../test/upstream.ts';
import { startWorld, type World } from '../../test/world.ts';
import { topology } from '../topology.ts';
import { takePublished } from './upstream-service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const { handle } = consume(topology.queues.upstream, (trx, events) => takePublished(world.deps, trx, events));
const take = (event: Envelope) => inTransaction(world.db, (trx) => handle(trx, [event]));

/** All that a refresh, a list or the next term will go by, of what is open. */
async function outcome(customer: string) {
  const open = await world.db('renewals').where({ customer_id: customer }).whereNull('closed_at');
  const ledger = await world.db('alerts').whereIn(
    'renewal_id',
    open.map(({ id }) => id),
  );
  return {
    renewals: open.map(
      ({ id: _, customer_id: __, version: ___, answers_from: ____, policy_id, source_id, ...rest }) => ({
        ...rest,
        isOwn: policy_id === null || policy_id === source_id,
      }),
    ),
    ledger,
  };
}

interface Said {
  /** Undefined: it has ended. */
  date: string | undefined;
  second: number;
  agent: string | undefined;
}

const said = fc.record<Said>({
  // Month ends lead elsewhere, and past dates are overdue at the next refresh.
  date: fc.constantFrom(
    '2026-01-31',
    '2026-02-28',
    '2026-03-02',
    '2026-04-30',
    '2026-12-31',
    '2027-02-28',
    '2028-02-29',
    undefined,
  ),
  second: fc.nat(5),
  agent: fc.constantFrom('ann', 'bob', undefined),
});
const story = fc.record({ events: fc.array(said, { minLength: 1, maxLength: 6 }), indices: fc.array(fc.nat(5)) });

let worlds = 0;

interface Kind {
  issued: typeof policyIssued;
  ended: typeof policyCancelled;
}

/** The same events of a new policy or permit; their ids are in the order given. */
function told(events: readonly Said[], { issued, ended }: Kind): { customer: string; all: Envelope[] } {
  worlds += 1;
  const customer = `C-${worlds}`;
  const all = events.map(({ date, second, agent }, n) => {
    const rest = { id: `${worlds}-${n}`, time: `2026-03-01T12:00:0${second}Z` };
    if (date === undefined) return ended(`S-${worlds}`, rest);
    return issued(`S-${worlds}`, date, { customer_id: customer, assigned_agent: agent }, rest);
  });
  return { customer, all };
}

const newest = (events: readonly Said[]): number =>
  events.reduce((best, { second }, n) => (second >= (events[best]?.second ?? 0) ? n : best), 0);

test.each([
  ['policy', { issued: policyIssued, ended: policyCancelled }],
  ['permit', { issued: permitApproved, ended: permitWithdrawn }],
])(
  'events of a %s in any order, any number of times, one by one or at once, come to what the newest says',
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(story, fc.boolean(), async ({ events, indices }, atOnce) => {
        const last = newest(events);
        const alone = told(events, kind);
        await take(alone.all[last] as Envelope);
        const { customer, all } = told(events, kind);
        const delivered = [...indices.filter((n) => n < all.length), ...all.keys()].map((n) => all[n] as Envelope);
        if (atOnce) await Promise.all(delivered.map(take));
        else for (const event of delivered.toReversed()) await take(event);
        const [expected, seen] = [await outcome(alone.customer), await outcome(customer)];
        expect({ ...seen, renewals: seen.renewals.map(saidOf) }).toEqual({
          ...expected,
          renewals: expected.renewals.map(saidOf),
        });
        expect(seen.renewals).toHaveLength(events[last]?.date === undefined ? 0 : 1);
      }),
      { seed: 20_260_301, numRuns: 60 },
    );
  },
);

/** Neither which policy or permit it came from, nor when it was written down. */
const saidOf = ({ source_id: _, created_at: __, updated_at: ___, ...rest }: Record<string, unknown>) => rest;
