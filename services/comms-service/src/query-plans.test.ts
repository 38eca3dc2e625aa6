import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventOf } from '@ops/contracts/events';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import { retentionSubject } from '@ops/contracts/resources/retention';
import { erasureOrder } from '@ops/contracts/test/erasure';
import { inTransaction } from '@ops/service-kit/database';
import { createErasure } from '@ops/service-kit/erasure';
import { createRetention } from '@ops/service-kit/retention';
import { type PlanNode, planOf as planIn, type Statement, statementsOf as sentTo } from '@ops/service-kit/test/plans';
import { uuidv7 } from '@ops/test-kit/builders';
import { deps, said, taken } from '../test/message.ts';
import { staff, startTestService, type TestService } from '../test/service.ts';
import { listAttention, patchAttention } from './attention/attention-service.ts';
import { countByType, listRecords } from './communications/communication-store.ts';
import { listCustomers } from './customers/customer-store.ts';
import { searchPatterns } from './customers/search.rules.ts';
import { takeDeliveryUpdates } from './delivery-status/delivery-service.ts';
import { listFailed } from './delivery-status/delivery-store.ts';
import { commsErasure } from './erasure-places.ts';
import { listOptOuts, setOptOut } from './opt-outs/opt-out-service.ts';
import { commsPlaces } from './retention/retention-places.ts';
import { searchCommunications } from './searching/searching-service.ts';
import {
  dismissUnmatched,
  linkUnmatched,
  listUnmatched,
  restoreUnmatched,
  unlinkUnmatched,
} from './unmatched/unmatched-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await fill();
  await service.put(staff, '/ops/customers/C-2', { name: 'Ada Demo', phones: [phone] });
});
afterAll(() => service.close());

const phone = '+447700900001';
const stranger = '+447700900999';
const page = { limit: 50 };
const allOfThem = {
  patterns: undefined,
  ids: undefined,
  unread: undefined,
  archived: undefined,
  after: undefined,
  limit: 9,
};

/** Enough that a way through an index is shorter than through the table, and half of it one customer's. */
const FILL = [
  `INSERT INTO customers (id, name, name_folded, do_not_contact, version, created_at, updated_at)
   SELECT 'C-' || n, 'Demo', 'demo', false, 1, now(), now() FROM generate_series(1, 2000) n`,
  `INSERT INTO identifiers (customer_id, kind, value, source, position)
   SELECT 'C-' || n, 'phone', '+44' || n || m, 'given', 0 FROM generate_series(1, 2000) n, generate_series(1, 10) m`,
  `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, provider, provider_message_id,
                               occurred_at, created_at)
   SELECT gen_random_uuid(), CASE WHEN n % 5 > 0 THEN 'C-' || (CASE WHEN n % 2 = 0 THEN 1 ELSE n / 10 + 1 END) END,
          'EMAIL', 'INBOUND', 'Hello', n % 9 = 0, 'RECEIVED', 'mime', '<' || n || '@example.com>', now(), now()
   FROM generate_series(1, 10000) n`,
  `INSERT INTO inbound_messages (communication_id, type, reason, sender_key, address, keys, occurred_at)
   SELECT id, type, 'unknown', id, id, ARRAY[provider_message_id], occurred_at
   FROM communications WHERE customer_id IS NULL`,
  `INSERT INTO answers SELECT id, 0, '<' || body || provider_message_id, NULL FROM communications`,
  `INSERT INTO message_changes SELECT gen_random_uuid(), id, type, provider_message_id, 'edit', 'x', 'x', now()
   FROM communications`,
  `INSERT INTO message_changes SELECT gen_random_uuid(), NULL, type, 'x' || provider_message_id, 'edit', 'x', 'x', now()
   FROM communications`,
  `INSERT INTO attachments (id, communication_id, role, media_type, source, state, created_at)
   SELECT gen_random_uuid(), id, 'html', 'text/html', 'ingest', 'STORED', now() FROM communications`,
  `INSERT INTO timeline SELECT id, customer_id, 'COMMUNICATION_RECEIVED', now(), id, '{}'
   FROM communications WHERE customer_id IS NOT NULL`,
  `INSERT INTO opt_outs SELECT id, customer_id, type, true, now() FROM communications`,
  `INSERT INTO opt_outs (id, communication_id, address, channel, opted_out, decided_at)
   SELECT id, id, 'email:' || provider_message_id, type, true, now() FROM communications`,
  `UPDATE customers SET archived_at = now() WHERE id LIKE '%7'`,
  `UPDATE attention SET snoozed_until = now() + interval '1 day' WHERE customer_id LIKE 'C-%99'`,
];

async function fill(): Promise<void> {
  for (const sql of FILL) await service.db.raw(sql);
  for (const table of ['attention', ...new Set(FILL.map((sql) => sql.match(/INTO (\w+)/)?.[1] ?? 'attention'))])
    await service.db.raw(`ANALYZE ${table}`);
}

/** Read in their order, up to a page: they hold nothing else, and who waits is asked for by agent among those who wait. */
const PAGES = [
  'attention_longest_waiting',
  'inbound_messages_waiting',
  'inbound_messages_linked',
  'inbound_messages_dismissed',
  'communications_failed_open',
];

/** Of these nodes and all below them, what is read from end to end. */
const readWhole = (nodes: PlanNode[]): string[] =>
  nodes.flatMap((node) => [
    ...(node['Node Type'] === 'Seq Scan' ? [`table ${node['Relation Name']}`] : []),
    ...(node['Index Name'] && !node['Index Cond'] && !PAGES.includes(node['Index Name'])
      ? [`index ${node['Index Name']}`]
      : []),
    ...readWhole(node.Plans ?? []),
  ]);

const statementsOf = (work: () => Promise<unknown>) => sentTo(service.db, work);

/** A merge that stops early would look like reading all. */
const planOf = (statement: Statement) =>
  planIn(service.db, statement, { set: ['enable_seqscan = off', 'enable_mergejoin = off'] });

async function readWholeBy(work: () => Promise<unknown>): Promise<string[]> {
  const statements = await statementsOf(work);
  expect(statements.length).toBeGreaterThan(0);
  const found = new Set<string>();
  for (const statement of statements) for (const whole of readWhole([await planOf(statement)])) found.add(whole);
  return [...found];
}

test('a batch of messages that answer, react and are held finds what it needs by indexes', async () => {
  const first = said({ sender: { phone } });
  await taken(service, first);
  const batch = () =>
    taken(
      service,
      said({
        sender: { phone, user_id: 'US.1' },
        answers: { external_ids: [first.external_id], token: '0'.repeat(32) },
      }),
      said({ kind: 'reaction', emoji: '+', target_external_id: first.external_id, sender: { phone } }),
      said({ sender: { phone: stranger } }),
      said({ sender: { phone }, body: 'STOP' }),
    );
  expect(await readWholeBy(batch)).toEqual([]);
});

test('so does a batch of news about sends', async () => {
  const { body } = await service.post<{ id: string }>(staff, '/ops/customers/C-2/communications', {
    type: 'SMS',
    direction: 'OUTBOUND',
    body: 'Hello',
  });
  const data = {
    customer_id: 'C-2',
    occurred_at: '2026-03-01T12:00:00Z',
    communication_id: body.id,
    attempt: 1,
    attempt_id: uuidv7(),
    status: 'SENT',
    provider: 'twilio',
    provider_message_id: 'SM1',
    failure: null,
  };
  const work = () =>
    inTransaction(service.db, (trx) => takeDeliveryUpdates(deps, trx, [{ data } as EventOf<'delivery.updated'>]));
  expect(await readWholeBy(work)).toEqual([]);
});

test('so do the lists of what waits and of what failed, and linking and taking back', async () => {
  const message = said({ sender: { phone: stranger }, answers: { external_ids: ['x'] } });
  await taken(service, message);
  const id = message.item_id;
  const lists = async () => {
    await listUnmatched(deps, service.db, { state: 'waiting', ...page });
    await listUnmatched(deps, service.db, { state: 'linked', ...page });
    await listUnmatched(deps, service.db, { state: 'dismissed', ...page });
    await listUnmatched(deps, service.db, { state: 'waiting', q: stranger, ...page });
    await listFailed(service.db, {}, undefined, 50);
    await listRecords(service.db, {
      customerId: 'C-1',
      reader: staff,
      filterType: null,
      asked: {},
      after: undefined,
      limit: 50,
    });
    await listRecords(service.db, {
      customerId: 'C-1',
      reader: staff,
      filterType: null,
      asked: { q: 'rare words' },
      after: undefined,
      limit: 50,
    });
    await countByType(service.db, 'C-1', undefined);
    await countByType(service.db, 'C-1', 'rare words');
  };
  expect(await readWholeBy(lists)).toEqual([]);
  const link = () => inTransaction(service.db, (trx) => linkUnmatched(deps, trx, id, 'C-2', staff));
  expect(await readWholeBy(link)).toEqual([]);
  const unlink = () => inTransaction(service.db, (trx) => unlinkUnmatched(deps, trx, id, staff));
  expect(await readWholeBy(unlink)).toEqual([]);
  const dismiss = () => inTransaction(service.db, (trx) => dismissUnmatched(deps, trx, id, staff));
  expect(await readWholeBy(dismiss)).toEqual([]);
  const restore = () => inTransaction(service.db, (trx) => restoreUnmatched(deps, trx, id, staff));
  expect(await readWholeBy(restore)).toEqual([]);
});

test('so do a customer, what was decided about its addresses, and deciding', async () => {
  const wish = { kind: 'phone', value: phone, channel: 'SMS', opted_out: true, reason: 'Asked' } as const;
  const work = async () => {
    await inTransaction(service.db, (trx) => setOptOut(deps, trx, 'C-2', wish, staff));
    await listOptOuts(service.db, 'C-2', page);
  };
  expect(await readWholeBy(work)).toEqual([]);
});

test('so do the list of who waits, and being done with one of them', async () => {
  const asking = { ...deps, today: () => '2026-03-01', nextRenewals: async () => [], answerBy: async () => [] };
  const list = async (state: 'waiting' | 'snoozed') => {
    for (const agent of [undefined, 'me', 'nobody'])
      await listAttention(asking, service.db, { ...page, state, ...(agent && { agent }), channel: 'EMAIL' }, staff);
  };
  const snoozed = (await statementsOf(() => list('snoozed'))).filter(({ sql }) => sql.includes('FROM attention'));
  for (const statement of snoozed) expect(JSON.stringify(await planOf(statement))).toContain('attention_snoozed');
  const work = async () => {
    await list('waiting');
    await list('snoozed');
    await inTransaction(service.db, (trx) => patchAttention(deps, trx, 'C-2', { state: 'done' }));
  };
  expect(await readWholeBy(work)).toEqual(['table agents']);
});

test('so does bringing up to date who waits, of a customer of whom nobody answered much', async () => {
  const { rows } = await service.db.raw(
    `SELECT p.prosrc FROM pg_proc p WHERE p.proname IN ('answered_until', 'unanswered') ORDER BY p.proname`,
  );
  const statements = rows.flatMap(({ prosrc }: { prosrc: string }) =>
    [...prosrc.matchAll(/:= \(([^;]*)\);|QUERY([^;]*);/g)].map(([, looked, listed]) => looked ?? listed ?? ''),
  );
  expect(statements).toHaveLength(3);
  const plans: PlanNode[] = [];
  for (const sql of statements)
    plans.push(
      await planOf({
        sql: sql
          .replaceAll(/\b(whose|as_id)\b/g, `'C-1'`)
          .replaceAll(/\ba\.(logged|written)\b|\bup_to\b/g, 'CAST(NULL AS timestamptz)')
          .replaceAll(/\bup_to_id\b/g, 'CAST(NULL AS uuid)'),
      }),
    );
  expect(readWhole(plans)).toEqual([]);
  expect(JSON.stringify(plans)).toMatch(
    /communications_sent_by_people.*communications_said_elsewhere.*communications_to_answer/,
  );
});

test('so do searching the words of all messages, and customers by any part of what is known of them', async () => {
  expect(await readWholeBy(() => searchCommunications(service.db, { q: 'rare words', limit: 20 }))).toEqual([]);
  const patterns = searchPatterns('+447700900001', undefined);
  const search = () => listCustomers(service.db, { ...allOfThem, patterns });
  expect(await readWholeBy(search)).toEqual([]);
  expect(JSON.stringify(await planOf((await statementsOf(search))[0] as Statement))).toMatch(
    /customers_by_part_of_name.*customers_by_id_as_typed.*identifiers_by_part/,
  );
});

test('a page of customers is read in its place of the list, be most of them former ones or few', async () => {
  const after = { sortKey: 'demo', id: 'C-1500' };
  const pages = [false, true].flatMap((archived) => [{ archived }, { archived, after }, { archived, unread: false }]);
  for (const asked of pages) {
    const page = () => listCustomers(service.db, { ...allOfThem, ...asked });
    expect(await readWholeBy(page)).toEqual([]);
    expect(JSON.stringify(await planOf((await statementsOf(page))[0] as Statement))).toContain(
      'customers_in_list_order',
    );
  }
});

test('so does a portion of a retention run', async () => {
  const old = { id: uuidv7(), customer_id: 'C-2', type: 'EMAIL', direction: 'INBOUND', body: 'Hello', unread: false };
  const at = new Date('2019-01-01');
  await service.db('communications').insert({ ...old, status: 'RECEIVED', occurred_at: at, created_at: at });
  const retention = createRetention({ service: 'comms-service', db: service.db, places: commsPlaces(deps) });
  const before = Object.fromEntries(retentionSubject.options.map((subject) => [subject, '2019-02-01T00:00:00Z']));
  const order = { dry_run: false, before: before as RetentionOrder['before'], held: ['C-1'] };
  expect(await readWholeBy(() => retention.apply(order))).toEqual([]);
  expect(await service.db('communications').where({ id: old.id })).toMatchObject([{ body: '' }]);
});

test('so does a portion of an erasure; of what waits to be sent or placed all is looked at', async () => {
  const places = commsErasure.filter(({ table }) => !table.startsWith('import_'));
  const records = (await service.db('communications').where({ customer_id: 'C-3' }).limit(50).select('id')).map(
    ({ id }) => id,
  );
  const addresses = [{ kind: 'phone' as const, value: stranger }];
  const order = erasureOrder({ customer_ids: ['C-3', 'C-4'], addresses, records });
  const erasure = createErasure({ service: 'comms-service', db: service.db, places, queues: [] });
  const waits = ['index message_changes_parked', 'index attachments_unsent'];
  expect((await readWholeBy(() => erasure.apply(order))).filter((one) => !waits.includes(one))).toEqual([]);
});
