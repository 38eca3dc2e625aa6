import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createOutbox } from '@ops/bus/outbox';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { Erasure } from '@ops/contracts/resources/erasure';
import type { Proposal } from '@ops/contracts/resources/proposal';
import type { Actor } from '@ops/contracts/roles';
import { verifyChain } from '@ops/service-kit/audit-chain';
import { rows, type Trx } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { type OtherErasers, startOtherErasers } from '../../test/erasers.ts';
import { said, taken, told } from '../../test/message.ts';
import { admin, customer, staff, startTestService, type TestService } from '../../test/service.ts';
import { takeEffect } from '../proposals/proposal-service.ts';
import { takeAway } from './erasure-service.ts';

let service: TestService;
let others: OtherErasers;
const otherAdmin: Actor = { sub: 'chief-2', role: 'admin' };
let id: string;
let phone: string;
let turn = 0;

beforeAll(async () => {
  others = await startOtherErasers();
  service = await startTestService({ ...others.settings, RETENTION_CRON: 'off' });
});
afterAll(async () => {
  await service.close();
  await others.close();
});
beforeEach(() => {
  turn += 1;
  id = `C-${turn}00`;
  phone = `+4477009001${String(turn).padStart(2, '0')}`;
  Object.assign(others, { orders: [], isActive: false, answer: () => ({}) });
});

const put = (of: string, body: object = {}) => service.put(staff, `/ops/customers/${of}`, { name: 'Demo', ...body });
const post = (body: object, of = id) => service.post<Communication>(staff, `/ops/customers/${of}/communications`, body);
const propose = (of = id, by = admin) =>
  service.post<Proposal & Pick<Problem, 'code' | 'detail'>>(by, `/ops/customers/${of}/erase`);
const erasure = async (of = id) => (await service.get<Erasure>(admin, `/ops/customers/${of}/erasure`)).body;
const read = (of = id, by = staff) => service.get<Customer & Problem>(by, `/ops/customers/${of}`);

const confirm = (proposal: string) => service.post(otherAdmin, `/ops/proposals/${proposal}/confirm`);
/** The turn that the service takes each ten seconds, a day later. */
async function dayPasses(): Promise<void> {
  const dayOn = () => new Date(Date.now() + 25 * 3_600_000);
  const logger = createLogger('test', 'silent');
  const hasActiveRenewal = async () => others.isActive;
  const deps = { outbox: createOutbox('comms-service'), now: () => new Date(), erasers: [], hasActiveRenewal, logger };
  const ERASURE = (trx: Trx, proposal: Proposal) => takeAway(deps, trx, proposal);
  await takeEffect(dayOn, { RETENTION: async () => undefined, ERASURE }, service.db);
}
/** Proposed, confirmed by another, and the day has passed. */
async function confirmed(of = id): Promise<string> {
  const { body } = await propose(of);
  await confirm(body.id);
  await dayPasses();
  return body.id;
}
const within = { timeoutMs: 40_000 };
const proposed = (proposal: string) => service.db('proposals').where({ id: proposal }).first();
const complete = (of = id) =>
  eventually(async () => {
    const { certificate } = await erasure(of);
    expect(certificate?.completed_at).toEqual(expect.any(String));
    return certificate;
  }, within);

/** Words wherever this service keeps any of a customer. */
async function fill(words: string, of = id, from = phone): Promise<void> {
  await put(of, { name: words, phones: [from], emails: [`${words}@example.com`], locale: 'de' });
  await service.patch(staff, `/ops/customers/${of}`, { name: `${words} again` });
  const inbound = said({ body: words, sender: { phone: from, name: words }, external_id: `wamid.${words}` });
  await taken(service, inbound);
  await post({ type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: words }, of);
  await post({ type: 'CALL_LOG', direction: 'INTERNAL', subject: words, body: words }, of);
  const sent = await post({ type: 'SMS', direction: 'OUTBOUND', body: words }, of);
  const failure = JSON.stringify({ code: 'x', message: words, detail: words });
  const went = { status: 'FAILED', failure, provider_message_id: `out-${words}` };
  await service.db('communications').where({ id: sent.body.id }).update(went);
  await service.post(staff, `/ops/customers/${of}/attachments?name=${words}.txt`, undefined).catch(() => undefined);
  await service.db('attachments').insert({
    id: uuidv7(),
    communication_id: sent.body.id,
    customer_id: of,
    role: 'html',
    name: words,
    media_type: 'text/html',
    source: 'uploaded',
    state: 'STORED',
    content: Buffer.from(words),
    page: words,
    created_at: new Date(),
  });
  const wish = { kind: 'phone', value: from, channel: 'SMS', opted_out: true, reason: words };
  await service.put(staff, `/ops/customers/${of}/opt-outs`, wish);
  const reaction = {
    kind: 'reaction',
    body: '',
    emoji: '👍',
    target_external_id: 'unknown',
    sender: { phone: from },
  } as const;
  await taken(service, said(reaction));
}

test('all there is of a customer goes, the id stays as nobody, and a certificate says what and by whom', async () => {
  const [words, theirs] = [canary(), canary()];
  await fill(words);
  await fill(theirs, `${id}-other`, '+447700900555');
  const held = await tablesHolding(service.db, theirs);
  const proposal = (await propose()).body.id;
  await confirm(proposal);
  expect(await erasure()).toMatchObject({ proposal: { status: 'CONFIRMED' }, certificate: null });
  await dayPasses();
  expect((await erasure()).certificate).not.toBeNull();
  const certificate = await complete();
  expect(await tablesHolding(service.db, words)).toEqual([]);
  expect(await tablesHolding(service.db, phone.slice(1))).toEqual([]);
  expect((await tablesHolding(service.db, theirs)).filter((table) => !table.endsWith('outbox'))).toEqual(
    held.filter((table) => !table.endsWith('outbox')),
  );
  expect(certificate).toMatchObject({
    aliases: [],
    proposed_by: 'chief-1',
    confirmed_by: 'chief-2',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const counted = new Map(certificate?.places.map(({ place, rows: n }) => [place, n]));
  expect([counted.get('communications'), counted.get('identifiers'), counted.get('customers')]).toEqual([4, 2, 1]);
  expect((await erasure()).proposal).toMatchObject({ id: proposal, status: 'DONE', customer_id: id });
  for (const order of others.orders) {
    expect(order).toMatchObject({ customer_ids: [id], externals: expect.arrayContaining([`wamid.${words}`]) });
    expect(order.addresses).toContainEqual({ kind: 'phone', value: phone });
  }
  const ask = <Row extends object>(sql: string) => rows<Row>(service.db, sql);
  await service.db.raw('SELECT seal_audit(1000)');
  expect(await verifyChain(ask)).toMatchObject({ fault: undefined });
  const { body } = await service.get<Page<AuditEntry>>(admin, `/ops/services/comms-service/audit?customer_id=${id}`);
  const kept = body.data.filter(({ changes }) => changes !== null);
  expect(kept.map(({ actor, action }) => [actor, action])).toEqual([
    ['chief-2', 'eraseCustomer'],
    ['chief-2', 'confirmProposal'],
    ['chief-2', 'confirmProposal'],
    ['chief-1', 'eraseCustomer'],
  ]);
  expect(kept[0]?.changes).toMatchObject([{ field: 'erasure_digest', new: certificate?.digest }]);
});

test('the id of whoever was erased is nobody: it is not found, not given again, and nothing is written for it', async () => {
  await put(id, { phones: [phone] });
  await confirmed();
  await complete();
  for (const by of [staff, admin, customer(id)]) {
    const answers = [await service.get<Problem>(by, `/ops/customers/${id}/communications`)];
    if (by.role !== 'customer') answers.push(await read(id, by));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'erased']));
  }
  const refused = [
    await service.put<Problem>(staff, `/ops/customers/${id}`, { name: 'Demo' }),
    await service.patch<Problem>(staff, `/ops/customers/${id}`, { name: 'Demo' }),
    await post({ type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'x' }),
    await propose(),
  ];
  for (const { status, body } of refused) expect([status, body]).toMatchObject([404, { code: 'erased' }]);
  const again = await service.post<Problem>(staff, '/ops/customers', { id, name: 'Demo' });
  expect([again.status, again.body.code]).toEqual([409, 'erased']);
  await put(`${id}-x`);
  expect((await service.post<Problem>(staff, `/ops/customers/${id}-x/merge`, { into: id })).body.code).toBe('erased');
  for (const query of [`query=${id}`, `ids=${id}`, 'limit=200']) {
    const { body } = await service.get<Page<Customer>>(staff, `/ops/customers?${query}`);
    expect(body.data.map((one) => one.id)).not.toContain(id);
  }
  const csv = Buffer.from(`customer_id,name\n${id},Demo\n`);
  await service.post(staff, '/ops/imports/customers?name=a.csv&dry_run=false', csv);
  await eventually(
    async () => expect((await service.db('import_rows')).map(({ outcome }) => outcome)).toEqual(['refused']),
    within,
  );
  expect(await service.db('customers').where({ id }).first()).toMatchObject({ name: '', locale: null });
});

test('what comes too late brings nobody back; whoever writes from then on is a stranger', async () => {
  const words = canary();
  await put(id, { phones: [phone] });
  const sent = await post({ type: 'SMS', direction: 'OUTBOUND', body: 'x' });
  await service.db('communications').where({ id: sent.body.id }).update({ status: 'SENT' });
  const late = told(said({ body: words, sender: { phone }, received_at: new Date().toISOString() }));
  others.answer = (name) => (name === 'webhook-ingest' ? { events: [late.id] } : {});
  await confirmed();
  await complete();
  const about = { customer_id: id, occurred_at: new Date().toISOString() };
  const byNotifier = (type: string, data: object) => ({
    ...late,
    id: uuidv7(),
    source: 'notifier',
    type,
    data: { ...about, ...data },
  });
  const planned = {
    send_id: uuidv7(),
    type: 'SMS',
    subject: null,
    body: words,
    renewal_id: null,
    rung: null,
    send_after: null,
  };
  const update = {
    communication_id: sent.body.id,
    attempt: 1,
    attempt_id: uuidv7(),
    status: 'DELIVERED',
    provider: 'twilio',
  };
  const events = [
    late,
    byNotifier('communication.send', planned),
    byNotifier('delivery.updated', { ...update, provider_message_id: null, failure: null }),
  ];
  await service.bus.publish(events.map((event) => ({ event })));
  await eventually(async () =>
    expect(
      await service
        .db('inbox')
        .whereIn(
          'event_id',
          events.map((event) => event.id),
        )
        .countDistinct('event_id'),
    ).toEqual([{ count: '3' }]),
  );
  await eventually(async () => expect(await tablesHolding(service.db, words)).toEqual([]));
  expect(await service.db('dead_letters')).toEqual([]);
  await taken(service, said({ body: 'Hello again', sender: { phone } }));
  expect(await service.db('inbound_messages').where({ phone })).toHaveLength(1);
});

test.each([
  ['a renewal is active', async () => Object.assign(others, { isActive: true })],
  ['a message is under way', () => post({ type: 'SMS', direction: 'OUTBOUND', body: 'x' })],
  ['they are on legal hold', () => service.put(admin, `/ops/customers/${id}/legal-hold`, { on: true, reason: 'x' })],
])('while %s it is neither proposed nor done', async (_, hinder) => {
  await put(id, { phones: [phone] });
  const proposal = (await propose()).body.id;
  await confirm(proposal);
  await hinder();
  await dayPasses();
  expect(await proposed(proposal)).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining(id) });
  expect((await read()).status).toBe(200);
  expect((await propose()).status).toBe(409);
  const { body } = await service.get<Page<Proposal>>(admin, '/ops/proposals');
  expect(body.data.find((one) => one.id === proposal)).toMatchObject({ status: 'DECLINED', customer_id: id });
  const written = await service.get<Page<AuditEntry>>(admin, `/ops/services/comms-service/audit?customer_id=${id}`);
  expect(written.body.data.at(0)?.changes?.map(({ field }) => field)).toEqual(['proposal', 'reason']);
});

test('neither staff nor programs propose it, the same again is the same, and nobody is erased by an alias', async () => {
  await put(id);
  await put(`${id}-2`);
  expect((await propose(id, staff)).status).toBe(403);
  expect((await service.get(staff, `/ops/customers/${id}/erasure`)).status).toBe(403);
  expect((await propose('C-none')).status).toBe(404);
  const [first, second] = [await propose(), await propose(id, otherAdmin)];
  expect([second.status, second.body]).toEqual([200, first.body]);
  await service.post(staff, `/ops/customers/${id}-2/merge`, { into: id });
  const byAlias = await propose(`${id}-2`);
  expect([byAlias.status, byAlias.body.detail]).toEqual([409, expect.stringContaining(`merged into ${id}`)]);
});

test('who was merged into them goes along; who was merged since it was proposed does not, and then nobody does', async () => {
  const words = canary();
  await put(id, { phones: [phone] });
  await put(`${id}-a`, { name: words, emails: [`${words}@example.com`] });
  await post({ type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: words }, `${id}-a`);
  await service.post(staff, `/ops/customers/${id}-a/merge`, { into: id });
  const first = await propose();
  await put(`${id}-b`);
  await service.post(staff, `/ops/customers/${id}-b/merge`, { into: id });
  await confirm(first.body.id);
  await dayPasses();
  expect(await proposed(first.body.id)).toMatchObject({
    status: 'DECLINED',
    reason: expect.stringContaining(`${id}-b`),
  });
  await confirmed();
  expect((await complete())?.aliases).toEqual([`${id}-a`, `${id}-b`]);
  expect(await tablesHolding(service.db, words)).toEqual([]);
  for (const one of [`${id}-a`, `${id}-b`]) {
    expect((await read(one)).body.code).toBe('erased');
    expect((await erasure(one)).customer_id).toBe(id);
  }
  expect((await service.post<Problem>(staff, `/ops/customers/${id}-a/unmerge`)).body.code).toBe('erased');
});

test('it is complete only when every service has said so, after all have known what was told; one that is away is waited for', async () => {
  await put(id, { phones: [phone] });
  const event = uuidv7();
  let asked = 0;
  others.answer = (name, { from }) => {
    if (name !== 'notifier') return {};
    asked += 1;
    if (asked === 1) return undefined;
    if (asked === 2) return { changed: 3, events: [event], next: { place: 'sends', after: null } };
    if (from) return { changed: 1, events: [event] };
    return asked < 6
      ? { waits: 1, events: [event] }
      : { events: [event], places: [{ service: name, place: 'sends', rows: 4 }] };
  };
  await confirmed();
  const certificate = await complete();
  expect(certificate?.places).toContainEqual({ service: 'notifier', place: 'sends', rows: 4 });
  expect(asked).toBeGreaterThanOrEqual(6);
  const last = others.orders.filter(({ name }) => name === 'notifier').at(-1);
  expect(last?.events).toContain(event);
  expect(await service.db('inbox').where({ event_id: event })).not.toEqual([]);
  expect(await service.db('erasures').where({ customer_id: id }).first()).toMatchObject({ sought: null });
});

test('an address that somebody else has too is theirs, and what they said stays', async () => {
  const words = canary();
  const shared = '+447700900777';
  await put(id, { phones: [phone, shared] });
  await put(`${id}-s`, { phones: [shared] });
  await taken(service, said({ body: words, sender: { phone: shared } }));
  await confirmed();
  await complete();
  expect(others.orders[0]?.addresses.map(({ value }) => value)).toEqual(expect.not.arrayContaining([shared]));
  expect(await tablesHolding(service.db, words)).toContain('communications');
});

test('whoever follows customers is told, by their ids alone', async () => {
  await put(id, { phones: [phone] });
  const heard: unknown[] = [];
  const tap = await service.bus.tap(['customer.erased'], { event: ({ data }) => heard.push(data), reset: () => {} });
  await confirmed();
  const data = { customer_id: id, aliases: [], occurred_at: expect.any(String) };
  await eventually(() => expect(heard).toEqual([data]), within);
  await tap.close();
});
