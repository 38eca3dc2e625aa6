import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { carriedOut, lookedAt, type PlanNode, statementsOf } from '@ops/service-kit/test/plans';
import { uuidv7 } from '@ops/test-kit/builders';
import { cardOf } from '../test/alerts.ts';
import { type Desk, openDesk } from '../test/desk.ts';
import { writeLetters } from './planning/letter-service.ts';
import { datesOf, groupsToWrite } from './planning/letter-store.ts';
import { claimDue, markAllOnWire } from './sending/send-store.ts';
import { countGivenTo, idsGivenTo } from './tasks/task-store.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

// What waits comes upon a day on which nothing did: docs/decisions/what-waits.md

test('a night is claimed and marked by looking at whom it is to', async () => {
  const { db } = desk;
  const fill = (status: string, count: number) =>
    db.raw(
      `INSERT INTO sends (id, communication_id, attempt, customer_id, type, provider, message, trace, status, due_at,
                          next_try_at, expires_at, created_at)
       SELECT gen_random_uuid(), gen_random_uuid(), 1, 'C-' || n, 'SMS', 'twilio', '{}', '{}', :status, now(), now(),
              CASE WHEN :status <> 'QUEUED' THEN now() END, now()
       FROM generate_series(1, :count) n`,
      { status, count },
    );
  await fill('DELIVERED', 4_000);
  await db.raw('VACUUM ANALYZE sends');
  await fill('QUEUED', 1_000);
  const now = new Date();
  const claim = {
    first: 'soon' as const,
    provider: 'twilio',
    limit: 20,
    claim: uuidv7(),
    now,
    until: new Date(now.getTime() + 60_000),
  };
  const nodes = await carriedOut(db, async () => {
    const claimed = await claimDue(db, claim);
    const going = claimed.map((one) => ({ ...one, expires_at: claim.until, sent_to: null }));
    expect(await markAllOnWire(db, going, now, claim.until)).toEqual(new Set(going.map(({ id }) => id)));
    expect(going).toHaveLength(20);
  });
  expectNoneToRead(100, nodes, ['sends']);
});

test('whose letters are written is found by reading what waits once, and they are written in portions', async () => {
  const { db } = desk;
  const run = uuidv7();
  const fill = (count: number, { carried_out = false, alone = false }) =>
    db.raw(
      `WITH made AS (
         INSERT INTO followed_renewals (renewal_id, customer_id, due_date, status, reminders, version)
         SELECT gen_random_uuid(), 'C-' || n, '2026-04-30', 'UPCOMING', 'on', 1 FROM generate_series(1, :count) n
         RETURNING *
       ), decided AS (
         INSERT INTO run_alerts SELECT :run, renewal_id, due_date, '60', '0', now()
         FROM made WHERE NOT :carried_out AND NOT :alone
       )
       INSERT INTO alert_actions (id, renewal_id, due_date, rung, channel, customer_id, outcome, carried_out, decided_at,
                                  together)
       SELECT gen_random_uuid(), renewal_id, due_date, '60', 'EMAIL', customer_id, 'planned', :carried_out, now(),
              CASE WHEN :alone THEN gen_random_uuid() ELSE CAST(:run AS uuid) END FROM made`,
      { count, carried_out, alone, run },
    );
  await fill(2_000, { carried_out: true });
  await db.raw('VACUUM ANALYZE alert_actions, run_alerts, finished_runs');
  // Of one night, and letters that are written anew, each by itself.
  const waiting = 600;
  await fill(waiting / 2, {});
  await fill(waiting / 2, { alone: true });
  await db('finished_runs').insert({ run_id: run, alerts: waiting / 2, heard_at: new Date() });
  const nodes = await carriedOut(db, async () => {
    const groups = await groupsToWrite(db, new Date(), 0, 100);
    expect(groups).toHaveLength(100);
    expect(await inTransaction(db, (trx) => datesOf(trx, groups))).toHaveLength(100);
  });
  expectNoneToRead(waiting, nodes, ['alert_actions', 'run_alerts']);
  desk.customers(...Array.from({ length: waiting }, (_, n) => cardOf({ id: `C-${n}` })));
  const statements = await statementsOf(db, () => writeLetters(desk.deps, db));
  expect(await db('alert_actions').where({ carried_out: false })).toEqual([]);
  const ofThem = (words: string) => statements.filter(({ sql }) => sql.includes(words));
  expect(ofThem('run_alerts')).toHaveLength(1);
  // Of 20 messages each: nobody else is served while one is written.
  expect(ofThem('SET carried_out = true')).toHaveLength(30);
});

test.each([
  ['idsGivenTo', (trx: Trx): Promise<unknown> => idsGivenTo(trx, 'agent-1', 500)],
  ['countGivenTo', (trx: Trx): Promise<unknown> => countGivenTo(trx, 'agent-1')],
])('what a person gave to an agent is found by %s among what is open and theirs', async (_, work) => {
  const { db } = desk;
  const fill = (agent: string, status: string, count: number) =>
    db.raw(
      `INSERT INTO tasks (id, customer_id, title, priority, status, closed_at, assigned_agent, given_to, created_at, updated_at)
       SELECT gen_random_uuid(), 'C-' || n, 'Call', 'NORMAL', :status, CASE WHEN :status <> 'OPEN' THEN now() END, :agent, :agent,
              now(), now()
       FROM generate_series(1, :count) n`,
      { agent, status, count },
    );
  await db('tasks').delete();
  await fill('agent-1', 'OPEN', 100);
  await fill('agent-1', 'DONE', 2_000);
  await fill('agent-2', 'OPEN', 2_000);
  await db.raw('ANALYZE tasks');
  const nodes = await carriedOut(db, () => inTransaction(db, work));
  expectNoneToRead(100, nodes, ['tasks']);
});

/** More rows of these tables than that. */
function expectNoneToRead(most: number, nodes: readonly PlanNode[], tables: readonly string[]): void {
  const scans = nodes.filter(
    (node) => tables.includes(node['Relation Name'] ?? '') && node['Node Type'].includes('Scan'),
  );
  expect(scans.length).toBeGreaterThan(0);
  for (const node of scans) expect(lookedAt(node)).toBeLessThanOrEqual(most);
}
