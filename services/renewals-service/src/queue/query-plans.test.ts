import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RenewalQueueQuery } from '@ops/contracts/resources/renewal';
import { inTransaction, rows, type Trx } from '@ops/service-kit/database';
import { carriedOut } from '@ops/service-kit/test/plans';
import { tellOfAgents } from '../../test/notifier.ts';
import { startTestService, type TestService } from '../../test/service.ts';
import { listAlerts, listMessages } from '../alert-outcomes/detail-store.ts';
import { countAtRisk } from '../at-risk/at-risk-service.ts';
import { countOfAgent, idsOfAgent } from '../renewals/renewal-store.ts';
import { listServiceTypes } from '../service-types/service-type-service.ts';
import { addUpCounts, listCustomerRenewals, listRenewals, summariseRenewals } from './queue-service.ts';

let service: TestService;

const night = '0198c7a0-0000-7000-8000-000000000000';

/** Years of them: nine in ten are closed, and of the active ones few are urgent. */
const many = 120_000;

beforeAll(async () => {
  service = await startTestService();
  await service.db.transaction(async (trx) => {
    // So many rows in one statement, on whatever else runs.
    await trx.raw('SET LOCAL statement_timeout = 0');
    await trx.raw(
      `INSERT INTO renewals (id, customer_id, service_type, due_date, anchor_day, status, assigned_agent, closed_at,
                             closed_from, next_alert_on, created_on, created_at, updated_at)
       SELECT gen_random_uuid(), 'C-' || n % 20000,
              (ARRAY['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY', 'PET_LICENCE'])[1 + n % 4], due, 1,
              CASE WHEN n % 10 > 0 THEN 'COMPLETED' WHEN due < DATE '2026-03-02' THEN 'OVERDUE' ELSE 'UPCOMING' END,
              CASE WHEN n % 3 > 0 THEN 'agent-' || n % 7 END,
              CASE WHEN n % 10 > 0 THEN now() END, CASE WHEN n % 10 > 0 THEN 'UPCOMING' END,
              CASE WHEN n % 10 = 0 THEN due - 90 END, DATE '2024-01-01', now(), now()
       FROM (SELECT n, DATE '2026-02-20' + n % 720 - CASE WHEN n % 10 > 0 THEN 720 ELSE 0 END AS due
             FROM generate_series(1, ${many}) n) made`,
    );
  });
  await service.db('refreshed').update({ as_of: '2026-03-02' });
  // Of nobody, or of a customer's; agent-4 stands in for agent-5, and agent-6 is not known.
  await service.db.raw(
    `UPDATE renewals SET customer_agent = 'agent-2' WHERE assigned_agent IS NULL AND customer_id < 'C-15'`,
  );
  await tellOfAgents(service.db, ...Array.from({ length: 6 }, (_, n) => `agent-${n}`));
  await service.db('agents').where({ id: 'agent-5' }).update({ absent_until: '2199-12-31', deputy: 'agent-4' });
  await alertSome();
  await service.db.raw('ANALYZE renewals, alerts, alert_outcomes, linked_messages');
});

/** Some were alerted twice by messaging app and by e-mail, and each alert was answered, every other by name. */
async function alertSome(): Promise<void> {
  await service.db.raw(
    `INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, decided_at)
     SELECT r.id, r.due_date, rung, 'FIRED', 0, now()
     FROM (SELECT id, due_date FROM renewals LIMIT 5000) r, unnest(ARRAY['90', '60']) rung`,
  );
  await service.db.raw(
    `INSERT INTO alert_outcomes (renewal_id, due_date, rung, channel, outcome, communication_id, occurred_at, told_id)
     SELECT renewal_id, due_date, rung, channel, 'planned', gen_random_uuid(), now(), 'x'
     FROM alerts, unnest(ARRAY['MESSAGING_APP', 'EMAIL']) channel`,
  );
  const columns = '(communication_id, renewal_id, type, direction, status, in_reply_to, occurred_at, told_at, told_id)';
  await service.db.raw(
    `INSERT INTO linked_messages ${columns}
     SELECT communication_id, renewal_id, channel, 'OUTBOUND', 'SENT', NULL, now() - left(rung, 2)::int * interval '1 day',
            now(), 'x' FROM alert_outcomes`,
  );
  await service.db.raw(
    `INSERT INTO linked_messages ${columns}
     SELECT gen_random_uuid(), renewal_id, type, 'INBOUND', 'RECEIVED', CASE WHEN type = 'EMAIL' THEN communication_id END,
            occurred_at + interval '1 hour', now(), 'x' FROM linked_messages`,
  );
  // A night's, among those of others.
  await service.db.raw(
    `INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, run_id, decided_at)
     SELECT r.id, r.due_date, rung, CASE rung WHEN '14' THEN 'FIRED' ELSE 'SUPERSEDED' END, 14, '${night}', now()
     FROM (SELECT id, due_date FROM renewals ORDER BY id LIMIT 300) r, unnest(ARRAY['14', '30']) rung
     ON CONFLICT DO NOTHING`,
  );
}
afterAll(() => service.close());

/** How the statements that this work sends are carried out. */
const planOf = (work: () => Promise<unknown>) => carriedOut(service.db, work);

const page = { limit: 50 };

test.each<[string, RenewalQueueQuery]>([
  ['renewals_most_urgent', page],
  ['renewals_most_urgent', { ...page, window: 30 }],
  ['renewals_of_type', { ...page, service_type: 'RESIDENCE_PERMIT', window: 180 }],
  ['renewals_of_owner', { ...page, assigned_agent: 'agent-3' }],
  ['renewals_by_status', { ...page, status: 'COMPLETED' }],
])('the first page of the queue is read in the order of %s, and little more than the page', async (index, query) => {
  const nodes = await planOf(() => listRenewals(service.deps, service.db, query));
  expect(nodes.map((node) => node['Index Name'])).toContain(index);
  const scans = nodes.filter((node) => node['Relation Name'] === 'renewals');
  expect(scans).toHaveLength(1);
  for (const node of scans)
    expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(page.limit + 1);
  const messages = nodes.filter((node) => node['Relation Name'] === 'linked_messages');
  expect(nodes.map((node) => node['Index Name'])).toContain('linked_messages_of_renewal');
  for (const node of messages) expect(node['Node Type']).not.toBe('Seq Scan');
});

test('what is at risk is looked for among what is due within a month, by indexes', async () => {
  const near = await service.db('renewals').where('due_date', '<=', '2026-04-01').whereNull('closed_at');
  expect(near.length).toBeGreaterThan(500);
  expect(near.length).toBeLessThan(2_000);
  const plans = [
    await planOf(() => listRenewals(service.deps, service.db, { ...page, at_risk: true })),
    await planOf(() => countAtRisk(service.deps, service.db, night)),
  ];
  for (const nodes of plans) {
    const read = nodes.filter((node) => node['Relation Name'] === 'renewals');
    expect(read.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    for (const node of read) {
      const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
      expect(rows * node['Actual Loops']).toBeLessThanOrEqual(near.length);
    }
    for (const node of nodes.filter((one) => one['Relation Name'] === 'alerts'))
      expect(node['Node Type']).not.toBe('Seq Scan');
  }
});

test.each([
  ['who stands in for another', 'agent-4', 2],
  ['nobody', '', 2],
])('so is what %s has, of each who owns it', async (_, assigned_agent, owners) => {
  const nodes = await planOf(() => listRenewals(service.deps, service.db, { ...page, assigned_agent }));
  const scans = nodes.filter((node) => node['Relation Name'] === 'renewals');
  expect(scans).toContainEqual(expect.objectContaining({ 'Index Name': 'renewals_of_owner', 'Actual Loops': owners }));
  for (const node of scans) {
    expect(node['Index Name']).toBe('renewals_of_owner');
    expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(page.limit + 1);
    expect(node['Actual Loops']).toBeLessThanOrEqual(10);
  }
});

test.each([
  ['idsOfAgent', (trx: Trx): Promise<unknown> => idsOfAgent(trx, 'agent-3', 500)],
  ['countOfAgent', (trx: Trx): Promise<unknown> => countOfAgent(trx, 'agent-3')],
])('so is what one has that goes to another, by %s', async (_, work) => {
  const nodes = await planOf(() => inTransaction(service.db, work));
  expect(nodes.map((node) => node['Index Name'])).toContain('renewals_of_owner');
  for (const node of nodes) expect(node['Node Type']).not.toBe('Seq Scan');
});

test('the summary looks at no renewal, and that of one agent or of nobody at theirs of its weeks alone', async () => {
  await inTransaction(service.db, addUpCounts);
  await service.db.raw('ANALYZE renewal_counts, open_renewal_counts, renewal_count_changes');
  const everybody = await planOf(() => summariseRenewals(service.deps, service.db, {}));
  expect(everybody.filter((node) => node['Relation Name'] === 'renewals')).toEqual([]);
  const read = everybody.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...read)).toBeLessThan(5_000);
  for (const assigned_agent of ['agent-3', 'agent-4', '']) {
    const nodes = await planOf(() => summariseRenewals(service.deps, service.db, { assigned_agent }));
    const scans = nodes.filter((node) => node['Relation Name'] === 'renewals');
    const indexes = nodes.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith('renewals_'));
    expect(new Set(indexes)).toEqual(new Set(['renewals_of_owner']));
    for (const node of scans) {
      expect(node['Node Type']).not.toBe('Seq Scan');
      expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
    }
  }
});

test('part of a number is found by an index over those that have one', async () => {
  await service.db.raw(
    "UPDATE renewals SET policy_id = 'AB-12/' || n FROM (SELECT id AS of, row_number() OVER () n FROM renewals LIMIT 500) x WHERE id = of",
  );
  await service.db.raw('ANALYZE renewals');
  const nodes = await planOf(() => listRenewals(service.deps, service.db, { ...page, q: '12/499' }));
  expect(nodes.map((node) => node['Index Name'])).toContain('renewals_by_part_of_number');
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'renewals')).toEqual([]);
});

test('so is a page in the middle', async () => {
  const { next_cursor } = await listRenewals(service.deps, service.db, { limit: 200 });
  const query = { ...page, cursor: next_cursor as string };
  const nodes = await planOf(() => listRenewals(service.deps, service.db, query));
  const [scan] = nodes.filter((node) => node['Relation Name'] === 'renewals');
  expect(scan).toMatchObject({ 'Index Name': 'renewals_most_urgent', 'Actual Rows': page.limit + 1 });
});

test('what a refresh alerted is found by that run, and no more renewals are read than it alerted', async () => {
  const nodes = await planOf(() => listRenewals(service.deps, service.db, { ...page, run_id: night, rung: '14' }));
  const read = nodes.filter((node) => node['Relation Name'] === 'renewals');
  expect(nodes.map((node) => node['Index Name'])).toContain('alerts_of_run');
  expect(read).toMatchObject([{ 'Index Name': 'renewals_pkey', 'Actual Rows': 1, 'Actual Loops': 300 }]);
});

test("a customer's renewals and the types in use are found by their indexes", async () => {
  const plans = [
    await planOf(() => listCustomerRenewals(service.deps, service.db, 'C-7', page)),
    await planOf(() => listServiceTypes(service.db)),
  ];
  for (const nodes of plans)
    for (const node of nodes.filter((one) => one['Relation Name'] === 'renewals'))
      expect(node['Node Type']).not.toBe('Seq Scan');
});

test('what a renewal was alerted of, led to and was answered is found by indexes, whatever others were', async () => {
  const { renewal_id } = await service.db('alerts').first('renewal_id');
  const alerts = await listAlerts(service.db, renewal_id);
  const replies = alerts.flatMap(({ outcomes }) => outcomes.map(({ reply_id }) => reply_id));
  expect(new Set(replies.filter((id) => id !== null))).toHaveProperty('size', 4);
  const plans = [
    await planOf(() => listAlerts(service.db, renewal_id)),
    await planOf(() => listMessages(service.db, renewal_id)),
  ];
  const names = plans.flat().map((node) => node['Index Name']);
  expect(names).toContain('linked_messages_by_answered');
  expect(names).toContain('linked_messages_of_renewal');
  for (const node of plans.flat().filter((one) => one['Relation Name'])) {
    expect(node['Node Type']).not.toBe('Seq Scan');
    expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(8);
  }
});

test('what is said of several renewals is looked up in its index alone, not in all that was said since the last vacuum', async () => {
  await service.db.raw(
    `INSERT INTO linked_messages (communication_id, renewal_id, other_renewal_ids, other_versions, type, direction, status,
                                  occurred_at, told_at, told_id)
     SELECT gen_random_uuid(), r.id, ARRAY[gen_random_uuid()], '{1}', 'SMS', 'OUTBOUND', 'SENT', now(), now(), 'x'
     FROM (SELECT id FROM renewals LIMIT 100) r`,
  );
  const [waited] = await rows(service.db, `SELECT gin_clean_pending_list('linked_messages_of_others')::int AS pages`);
  expect(waited).toEqual({ pages: 0 });
});
