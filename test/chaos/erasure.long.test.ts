import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Erasure } from '@ops/contracts/resources/erasure';
import type { Proposal } from '@ops/contracts/resources/proposal';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { unzipped } from '@ops/test-kit/unzipped';
import type { System } from '@ops/test-system/system';
import { type Client, inDays, officeOn } from '../e2e/renewal-office.ts';
import { whereAnywhere } from './anywhere.ts';
import { auditIsWhole } from './audited.ts';
import { nothingMoves } from './quiet.ts';

const KILLS = Number(process.env.CHAOS_ERASURE_KILLS ?? 6);
const [id, alias, other] = ['C-erased', 'C-erased-alias', 'C-stays'];
const slowly = { timeoutMs: 300_000, everyMs: 100 };

/** Whatever of theirs is found is one of these. */
const words = canary();
const [phone, aliasPhone, otherPhone] = ['+447700900871', '+447700900872', '+447700900873'];
const mailbox = `erased-${words.slice(-12)}`;
const traces = [words, words.slice(-12), phone.slice(1), aliasPhone.slice(1)];
const others = canary();

/** Where a row of theirs is held, so that whoever erases comes to it and waits; in the order in which it is come to. */
const held: [
  owner: 'comms' | 'renewals' | 'ingest' | 'notifier',
  table: string,
  column: string,
  victim: ServiceName,
][] = [
  ['comms', 'opt_outs', 'customer_id', 'comms-service'],
  ['comms', 'communications', 'customer_id', 'comms-service'],
  ['renewals', 'compliance_flags', 'customer_id', 'renewals-service'],
  ['renewals', 'renewals', 'customer_id', 'comms-service'],
  ['ingest', 'deliveries', 'outcome', 'webhook-ingest'],
  ['ingest', 'items', 'outcome', 'comms-service'],
  ['notifier', 'sends', 'customer_id', 'notifier'],
  ['notifier', 'tasks', 'customer_id', 'comms-service'],
];

describe.each(['postgres', 'rabbitmq'] as const)('a customer is erased while processes are killed, %s bus', (bus) => {
  const office = officeOn(bus);
  let system: System;
  let staff: Client;
  let admin: Client;
  let second: Client;

  beforeAll(async () => {
    ({ system, staff } = await office.open());
    [admin, second] = [await system.client('admin', 'chief-1'), await system.client('admin', 'chief-2')];
  });
  afterAll(() => system?.stop());

  const ok = async (asked: ReturnType<Client['post']>) => {
    const { status, body } = await asked;
    expect({ status, body, isWell: status < 300 }).toMatchObject({ isWell: true });
    return body as { id: string };
  };

  test(`an archive is whole or none; after ${KILLS} kills nothing of them is found anywhere, and the certificate is complete`, async () => {
    await everyKindOfRecord();
    await eventually(() => nothingMoves(system), slowly);
    const before = await whereAnywhere(system, traces);
    for (const place of expected) expect(before).toContain(place);
    const theirs = await whereAnywhere(system, [others]);
    await takenAlong();

    const { id: proposal } = await ok(admin.post(`/ops/customers/${id}/erase`));
    await ok(second.post(`/ops/proposals/${proposal}/confirm`));
    const holds = await Promise.all(held.map(hold));
    await system.database('comms')('proposals').where({ id: proposal }).update({ effective_at: new Date() });
    let kills = 0;
    for (const { victim, release, isWaitedFor } of holds) {
      await eventually(async () => expect(await isWaitedFor()).toBe(true), slowly);
      await system.kill(victim);
      await release();
      await system.restart(victim);
      kills += 1;
    }
    for (; kills < KILLS; kills += 1) {
      const victim = serviceNames[kills % serviceNames.length] as ServiceName;
      await system.kill(victim);
      await system.restart(victim);
    }

    const done = await eventually(async () => {
      const { body } = await admin.get(`/ops/customers/${id}/erasure`);
      const { certificate } = body as Erasure;
      expect(certificate?.completed_at).toEqual(expect.any(String));
      return certificate;
    }, slowly);
    await eventually(() => nothingMoves(system), slowly);
    expect(await whereAnywhere(system, traces)).toEqual([]);
    expect((await whereAnywhere(system, [others])).filter(isNoOutbox)).toEqual(theirs.filter(isNoOutbox));
    expect(done?.aliases).toEqual([alias]);
    const services = new Set(done?.places.filter(({ rows }) => rows > 0).map(({ service }) => service));
    expect([...services].toSorted()).toEqual([...serviceNames].toSorted());
    await auditIsWhole(system, 10);
    await isNobody();
  }, 1_200_000);

  /** Published events are of no use to anybody any more, and go when they name whoever is erased beside somebody else. */
  const isNoOutbox = (place: string) => !place.endsWith('outbox');

  /** Whole or visibly broken off, whoever is killed while it is read; and whole again afterwards. */
  async function takenAlong(): Promise<void> {
    // More than what lies between the processes and us: whoever tells it has not told all of it yet.
    await ok(staff.request('POST', `/ops/customers/${id}/attachments?name=big.bin`, { body: randomBytes(16_000_000) }));
    const whole = await contentsOf(await archive());
    expect(whole).toContainEqual(expect.stringContaining('communications.json'));
    for (const victim of [...serviceNames, 'gateway'] as const) {
      const taken = await archive(() => system.kill(victim));
      if (victim === 'comms-service' || victim === 'gateway') expect(taken).toBe('broken off');
      if (taken !== 'broken off') expect(await contentsOf(taken)).toEqual(whole);
      await system.restart(victim);
    }
    expect(await contentsOf(await archive())).toEqual(whole);
  }

  async function archive(onceBegun = async () => {}): Promise<Buffer | 'broken off'> {
    const headers = { authorization: `Bearer ${await system.token('admin')}` };
    const answer = await fetch(`${system.gatewayUrl}/ops/customers/${id}/export`, { method: 'POST', headers });
    expect(answer.status).toBe(200);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const chunks: Uint8Array[] = [];
    const next = () => reader.read().catch(() => 'broken off' as const);
    for (let read = await next(); read === 'broken off' || !read.done; read = await next()) {
      if (read === 'broken off') return read;
      if (chunks.length === 0) await onceBegun();
      chunks.push(read.value);
    }
    return Buffer.concat(chunks);
  }

  /** What is in it, and what each file holds unless that tells who took an archive, or of alerts, which go on. */
  async function contentsOf(taken: Buffer | 'broken off'): Promise<string[]> {
    const files = await unzipped(Buffer.from(taken));
    return [...files].map(([path, content]) =>
      /who-changed-what|manifest|index|alert/.test(path)
        ? path
        : `${path} ${createHash('sha256').update(content).digest('hex')}`,
    );
  }

  interface Held {
    victim: ServiceName;
    release(): Promise<void>;
    isWaitedFor(): Promise<boolean>;
  }

  async function hold([owner, table, column, victim]: (typeof held)[number]): Promise<Held> {
    const db = system.database(owner);
    const trx = await db.transaction();
    await trx.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    const ours = column === 'customer_id' ? { customer_id: id } : {};
    const rows = await trx(table).where(ours).forUpdate().select(column);
    expect({ table, rows }).not.toEqual({ table, rows: [] });
    const { rows: pids } = await trx.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
    return {
      victim,
      release: async () => void (await trx.rollback()),
      async isWaitedFor() {
        // Not within the transaction, which would see who is at work as it was at its first look.
        const waiting = await db.raw<{ rows: object[] }>(
          'SELECT FROM pg_stat_activity WHERE CAST(? AS integer) = ANY (pg_blocking_pids(pid))',
          [pids[0]?.pid as number],
        );
        return waiting.rows.length > 0;
      },
    };
  }

  async function everyKindOfRecord(): Promise<void> {
    for (const [customer, number] of [
      [id, phone],
      [alias, aliasPhone],
      [other, otherPhone],
    ] as const)
      await ok(
        staff.put(`/ops/customers/${customer}`, {
          name: customer === other ? others : words,
          phones: [number],
          emails: customer === id ? [`${mailbox}@example.com`] : [],
          locale: 'de',
        }),
      );
    await system.simulator.person({ name: words, phone, email: `${mailbox}@example.com` });
    await system.simulator.person({ name: words, phone: aliasPhone });
    await system.simulator.person({ name: others, phone: otherPhone });
    await said();
    await written();
    await ok(staff.post(`/ops/customers/${alias}/merge`, { into: id }));
    await renewed();
    await brokenAndRepeated();
  }

  /** By whom each channel leads to us, with files, packed and not, an edit and a reaction. */
  async function said(): Promise<void> {
    const { simulator } = system;
    const files = [
      await simulator.file(`${words}.txt`, 'text/plain', Buffer.from(words)),
      await simulator.file('packed.gz', 'application/gzip', gzipSync(words)),
    ];
    const first = await simulator.write(phone, { channel: 'MESSAGING_APP', text: words });
    await simulator.change(first.id, `${words} changed`);
    await simulator.write(phone, { channel: 'SMS', text: words });
    await simulator.write(phone, { channel: 'EMAIL', subject: words, text: `${words} = ümlaut`, files });
    await simulator.write(aliasPhone, { channel: 'MESSAGING_APP', text: words });
    await simulator.write(otherPhone, { channel: 'MESSAGING_APP', text: others });
    await eventually(async () => {
      const found = await system
        .database('comms')('communications')
        .where({ direction: 'INBOUND' })
        .count('* AS n')
        .first();
      expect(Number(found?.n)).toBe(5);
    }, slowly);
    await eventually(async () => {
      expect(await system.database('comms')('attachments').where({ state: 'PENDING' })).toEqual([]);
      expect(await system.database('comms')('attachments').where({ role: 'file', state: 'STORED' })).toHaveLength(2);
    }, slowly);
  }

  async function written(): Promise<void> {
    const log = `/ops/customers/${id}/communications`;
    const key = { headers: { 'Idempotency-Key': words.slice(-12) } };
    await ok(staff.post(log, { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: words }, key));
    await ok(staff.post(log, { type: 'CALL_LOG', direction: 'INTERNAL', subject: words, body: words }));
    const file = await ok(
      staff.request('POST', `/ops/customers/${id}/attachments?name=${words}.txt`, {
        body: Buffer.from(words),
        headers: { 'content-type': 'text/plain' },
      }),
    );
    await ok(staff.request('POST', `/ops/customers/${id}/attachments?name=unsent.txt`, { body: Buffer.from(words) }));
    await ok(
      staff.post(log, { type: 'EMAIL', direction: 'OUTBOUND', subject: words, body: words, attachments: [file.id] }),
    );
    await ok(staff.post(log, { type: 'SMS', direction: 'OUTBOUND', body: words }));
    await system.simulator.look(phone, 'SMS').catch(() => undefined);
    await ok(
      staff.post(`/ops/customers/${other}/communications`, { type: 'SMS', direction: 'OUTBOUND', body: others }),
    );
    const wish = { kind: 'phone', value: phone, channel: 'MESSAGING_APP', opted_out: true, reason: words };
    await ok(staff.put(`/ops/customers/${id}/opt-outs`, wish));
    await ok(staff.patch(`/ops/customers/${id}`, { name: `${words} again` }));
    await ok(staff.post('/ops/tasks', { customer_id: id, title: words, notes: words }));
    await ok(staff.post('/ops/tasks', { customer_id: other, title: others }));
    for (const [what, text] of [
      ['customers', `customer_id,name\n${id},${words}\n`],
      ['renewals', `customer_id,service_type,due_date,notes\n${id},NOT_KNOWN,2032-01-31,${words}\n`],
    ]) {
      const { id: file } = await ok(
        staff.request('POST', `/ops/imports/${what}?name=demo.csv`, { body: Buffer.from(text as string) }),
      );
      await eventually(async () => {
        const { body } = await staff.get(`/ops/imports/${what}/${file}`);
        expect(body).toMatchObject({ status: 'CHECKED' });
      }, slowly);
    }
  }

  /** Alerted of, overdue, told of by another system, and over. */
  async function renewed(): Promise<void> {
    const automation = await system.client('automation');
    const about = { specversion: '1.0', source: '/policies', time: new Date().toISOString() };
    const data = { customer_id: id, policy_id: words, end_date: inDays(200) };
    await ok(automation.post('/ops/events', { ...about, id: uuidv7(), type: 'policy.issued', data }));
    const due = { id, phone, email: mailbox };
    const near = await office.watch(due, 20, { notes: words });
    const late = await office.watch(due, 3, { notes: words, policy_id: words });
    const kept = await office.watch({ id: other, phone: otherPhone, email: '' }, 200, { notes: others });
    await office.daysPass(late, 5);
    await office.refresh();
    await eventually(() => nothingMoves(system), slowly);
    await ok(staff.patch(`/ops/renewals/${near.id}`, { notes: `${words} again` }));
    const policy = { policy_id: words };
    await ok(automation.post('/ops/events', { ...about, id: uuidv7(), type: 'policy.cancelled', data: policy }));
    for (const one of await office.list<Renewal>(`/ops/customers/${id}/renewals`))
      if (one.status !== 'CANCELLED')
        await ok(staff.patch(`/ops/renewals/${one.id}/cancel`, { reason: 'other', note: words }));
    expect(kept.status).toBe('UPCOMING');
  }

  /** What no consumer could take, and what a provider posted that nobody understands. */
  async function brokenAndRepeated(): Promise<void> {
    for (const owner of ['comms', 'renewals', 'notifier'] as const)
      await system
        .database(owner)('dead_letters')
        .insert({
          id: uuidv7(),
          queue: 'demo:demo:demo',
          event_id: uuidv7(),
          event_type: 'demo',
          subject: id,
          body: JSON.stringify({ data: { customer_id: id, words } }),
          attempts: 1,
          error: words,
          replayed_at: new Date(),
        });
    const body = Buffer.from(JSON.stringify({ from: phone.slice(1), text: { body: words } }));
    await system
      .database('ingest')('deliveries')
      .insert({
        id: uuidv7(),
        provider: 'cloud-api',
        fingerprint: createHash('sha256').update(body).digest(),
        path: '/webhooks/x',
        body,
        size: body.length,
        outcome: 'not_understood',
        items: 0,
        received_at: new Date(),
        processed_at: new Date(),
      });
  }

  /** A stranger from then on, and a date that comes for the id is watched. */
  async function isNobody(): Promise<void> {
    for (const one of [id, alias])
      expect(await staff.get(`/ops/customers/${one}`)).toMatchObject({ status: 404, body: { code: 'erased' } });
    expect(await staff.get(`/ops/customers/${other}`)).toMatchObject({ status: 200, body: { name: others } });
    const { body } = await admin.get('/ops/proposals');
    expect((body as { data: Proposal[] }).data).toEqual([]);
    await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'Hello again' });
    await eventually(async () => {
      const { body: unmatched } = await staff.get('/ops/unmatched');
      expect((unmatched as { data: object[] }).data).toHaveLength(1);
    }, slowly);
    const automation = await system.client('automation');
    const data = { customer_id: id, policy_id: 'P-later', end_date: inDays(10) };
    const told = { specversion: '1.0', source: '/policies', time: new Date().toISOString(), id: uuidv7() };
    await ok(automation.post('/ops/events', { ...told, type: 'policy.issued', data }));
    await office.refresh();
    await eventually(async () => {
      const { body: tasks } = await staff.get(`/ops/tasks?customer_id=${id}`);
      expect((tasks as { data: object[] }).data).not.toEqual([]);
    }, slowly);
  }
});

/** Where something of them is before, as far as it says that the search finds what there is. */
const expected = [
  ...[
    'attachments',
    'communications',
    'communication_words',
    'customers',
    'identifiers',
    'import_rows',
    'opt_outs',
  ].map((table) => `comms: ${table}`),
  ...['outbox', 'dead_letters', 'idempotency_keys', 'audit_values'].map((table) => `comms: ${table}`),
  ...['renewals', 'import_rows', 'upstream_statements', 'audit_values'].map((table) => `renewals: ${table}`),
  ...['tasks', 'sends'].map((table) => `notifier: ${table}`),
  ...['deliveries', 'parts'].map((table) => `ingest: ${table}`),
];
