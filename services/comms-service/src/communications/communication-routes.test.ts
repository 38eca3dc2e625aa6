import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import { type Communication, communicationType, direction } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { admin, automation, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', {
    name: 'Ada Demo',
    phones: ['+41791234567'],
    emails: ['ada@example.com'],
  });
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo', do_not_contact: true });
});
afterAll(() => service.close());
beforeEach(() => service.forgetEvents());

const log = '/ops/customers/C-1/communications';
const inbound = { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'Hello' };
const outbound = { type: 'EMAIL', direction: 'OUTBOUND', subject: 'Your permit', body: 'Hello' };
const note = { body: 'Called twice' };
const unknown = '0195c4e0-0000-7000-8000-000000000001';

const create = async (record: object, path = log) => (await service.post<Communication>(staff, path, record)).body;

const pairs = communicationType.options.flatMap((type) => direction.options.map((way) => ({ type, direction: way })));

test.each(pairs)('$type $direction is logged, or refused by naming the direction', async (pair) => {
  const subject = pair.type === 'CALL_LOG' ? { subject: 'Second reminder' } : {};
  const { status, body } = await service.post<Problem>(staff, log, { ...pair, ...subject, body: 'Hello' });
  const allowed = (pair.direction === 'INTERNAL') === ['INTERNAL_NOTE', 'CALL_LOG'].includes(pair.type);
  expect(status).toBe(allowed ? 201 : 422);
  if (allowed) expect(body).toMatchObject({ ...pair, ...subject, unread: pair.direction === 'INBOUND' });
  else expect(body.errors?.[0]?.path).toBe('direction');
});

test('an inbound record is received, unread, in the timeline and announced', async () => {
  const record = await create(inbound);
  expect(record).toMatchObject({ status: 'RECEIVED', unread: true, author: null, received_at: record.occurred_at });
  const [received, changed, ...others] = await service.events();
  expect(others).toEqual([]);
  const facts = { customer_id: 'C-1', communication_id: record.id, type: 'MESSAGING_APP', renewal_id: null };
  expect(received).toMatchObject({ type: 'COMMUNICATION_RECEIVED', subject: 'C-1', data: facts });
  expect(changed).toMatchObject({ type: 'communication.changed', data: { ...facts, change: 'created' } });
  const { body } = await service.get<Page<TimelineEvent>>(staff, '/ops/customers/C-1/timeline?limit=1');
  const { customer_id, ...data } = facts;
  expect(body.data).toEqual([
    { id: received?.id, customer_id, type: 'COMMUNICATION_RECEIVED', occurred_at: record.occurred_at, data },
  ]);
});

test('what a request causes bears its request id and its trace', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { 'x-request-id': 'request-1', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await service.post(staff, log, inbound, headers);
  await service.patch(staff, `${log}/read`, undefined, headers);
  const events = await service.events();
  expect(events.map(({ requestid, traceparent }) => [requestid, traceparent?.split('-')[1]])).toEqual(
    Array.from({ length: 3 }, () => ['request-1', traceId]),
  );
});

test('an outbound record waits for delivery, with the address it goes to', async () => {
  const record = await create(outbound);
  expect(record).toMatchObject({ status: 'QUEUED', unread: false, author: staff.sub, received_at: null });
  const [queued, changed, ...others] = await service.events();
  expect(others).toEqual([]);
  expect(queued).toMatchObject({
    type: 'communication.queued',
    data: {
      communication_id: record.id,
      to: 'ada@example.com',
      body: 'Hello',
      opted_out: false,
      do_not_contact: false,
    },
  });
  expect(changed?.data).toMatchObject({ change: 'created', status: 'QUEUED' });
});

test('without an address, and for somebody not to be contacted, an outbound record says so', async () => {
  await create({ ...outbound, type: 'SMS', subject: null }, '/ops/customers/C-2/communications');
  const [queued] = await service.events();
  expect(queued?.data).toMatchObject({ to: null, do_not_contact: true, window_open_until: null });
});

test('the window of the messaging app is open until a day after the newest inbound message', async () => {
  const { occurred_at } = await create(inbound);
  await service.forgetEvents();
  await create({ type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello' });
  const [queued] = await service.events();
  const until = Date.parse(occurred_at) + 24 * 60 * 60 * 1000;
  expect(queued?.data).toMatchObject({ to: '+41791234567', window_open_until: new Date(until).toISOString() });
});

const template = { name: 'general_note', language: 'pt_BR' };
const byApp = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello' };

test('a chosen template is kept with the record and goes along to whoever sends it', async () => {
  const record = await create({ ...byApp, template });
  expect(record.template).toEqual(template);
  const { body } = await service.get<Page<Communication>>(staff, `${log}?limit=1`);
  expect(body.data).toMatchObject([{ id: record.id, template }]);
  const [queued] = await service.events();
  expect(queued).toMatchObject({ type: 'communication.queued', data: { communication_id: record.id, template } });
});

test('where none was chosen, none is told', async () => {
  for (const given of [byApp, { ...byApp, template: null }]) expect((await create(given)).template).toBeNull();
  const queued = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued.map(({ data }) => data.template)).toEqual([null, null]);
});

test.each([
  [{ ...byApp, direction: 'INBOUND', template }, 'template'],
  [{ ...byApp, type: 'SMS', template }, 'template'],
  [{ ...outbound, template }, 'template'],
  [{ ...byApp, template: { ...template, body: 'Hello' } }, 'template.body'],
  [{ ...byApp, template: { name: 'general_note' } }, 'template.language'],
  [{ ...byApp, template: { name: 'a\u0000b', language: 'en' } }, 'template.name'],
])('a template where none belongs, or that is none, is refused by name: %#', async (record, path) => {
  const { status, body } = await service.post<Problem>(staff, log, record);
  expect({ status, paths: body.errors?.map((error) => error.path) }).toEqual({ status: 422, paths: [path] });
});

test('a note is logged for staff, and announced without its words', async () => {
  const { status, body } = await service.post(admin, '/ops/customers/C-1/notes', { body: 'in confidence' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ type: 'INTERNAL_NOTE', direction: 'INTERNAL', status: 'LOGGED', author: admin.sub });
  const events = await service.events();
  expect(events.map(({ type }) => type)).toEqual(['communication.changed']);
  expect(JSON.stringify(events)).not.toContain('in confidence');
});

test('automation writes messages, but no notes and no calls, whether or not the customer exists', async () => {
  expect(await service.post(automation, log, outbound)).toMatchObject({
    status: 201,
    body: { author: automation.sub },
  });
  for (const path of [log, '/ops/customers/nobody/communications']) {
    const internal = { type: 'CALL_LOG', direction: 'INTERNAL', subject: 'A call', body: 'Hello' };
    expect(await service.post(automation, path, internal)).toMatchObject({ status: 403 });
    expect(await service.post(automation, path, { ...internal, type: 'INTERNAL_NOTE', subject: null })).toMatchObject({
      status: 403,
    });
  }
});

test('an unknown customer has no log to write to, read or mark', async () => {
  const path = '/ops/customers/nobody';
  expect(await service.post(staff, `${path}/communications`, inbound)).toMatchObject({ status: 404 });
  expect(await service.post(staff, `${path}/notes`, note)).toMatchObject({ status: 404 });
  expect(await service.get(staff, `${path}/communications`)).toMatchObject({ status: 404 });
  expect(await service.patch(staff, `${path}/communications/read`)).toMatchObject({ status: 404 });
  expect(await service.get(staff, `${path}/timeline`)).toMatchObject({ status: 404 });
  expect(await service.events()).toEqual([]);
});

test('marking as read needs no body, tells what it changed, and says nothing when nothing changed', async () => {
  await service.patch(staff, `${log}/read`);
  await create(inbound);
  await create(inbound);
  await service.forgetEvents();
  const all = { customer_id: 'C-1', marked_read: 2, unread_count: 0 };
  expect(await service.patch(staff, `${log}/read`)).toMatchObject({ status: 200, body: all });
  const [changed, ...others] = await service.events();
  expect(others).toEqual([]);
  expect(changed?.data).toMatchObject({ customer_id: 'C-1', change: 'read', communication_id: null });
  expect((await service.patch<{ marked_read: number }>(staff, `${log}/read`)).body.marked_read).toBe(0);
  expect(await service.events()).toHaveLength(1);
});

test('a single record that is marked as read is named', async () => {
  await service.patch(staff, `${log}/read`);
  const { id } = await create(inbound);
  await service.forgetEvents();
  await service.patch(staff, `${log}/read`, {});
  expect((await service.events())[0]?.data).toMatchObject({ change: 'read', communication_id: id });
});

test("up to a record that is unknown, or another customer's, is refused by name", async () => {
  const { id } = await create(inbound, '/ops/customers/C-2/communications');
  for (const up_to of [unknown, id]) {
    const { status, body } = await service.patch<Problem>(staff, `${log}/read`, { up_to });
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'up_to' });
  }
});

test('a refiled record takes its unread mark and its timeline line along; both customers hear of it', async () => {
  const { id } = await create(inbound);
  const count = async (of: string) => (await service.get<Customer>(staff, `/ops/customers/${of}`)).body.unread_count;
  const [from, to] = [await count('C-1'), await count('C-2')];
  await service.forgetEvents();
  const moved = await service.post(staff, `/ops/communications/${id}/move`, { customer_id: 'C-2' });
  expect(moved).toMatchObject({ status: 200, body: { id, customer_id: 'C-2', unread: true } });
  expect([await count('C-1'), await count('C-2')]).toEqual([from - 1, to + 1]);
  const { body } = await service.get<Page<TimelineEvent>>(staff, '/ops/customers/C-2/timeline?limit=1');
  expect(body.data[0]).toMatchObject({ customer_id: 'C-2', data: { communication_id: id } });
  const events = await service.events();
  expect(events.map(({ subject, data }) => [subject, data.change, data.communication_id])).toEqual([
    ['C-1', 'moved', id],
    ['C-2', 'moved', id],
  ]);
  const [kept] = await service.db('communication_history').where({ communication_id: id });
  expect(kept).toMatchObject({ change: 'moved', actor: staff.sub, details: { from: 'C-1', to: 'C-2' } });
});

test('refiling lets go of what ties a record to the other customer, and remembers it', async () => {
  const { id } = await create(inbound);
  await service.db('communications').where({ id }).update({ renewal_id: unknown });
  const { body } = await service.post<Communication>(staff, `/ops/communications/${id}/move`, { customer_id: 'C-2' });
  expect(body.renewal_id).toBeNull();
  const [kept] = await service.db('communication_history').where({ communication_id: id });
  expect(kept.details).toMatchObject({ renewal_id: unknown });
});

test('refiling to where it is changes nothing; what was sent stays; the target and the record must exist', async () => {
  const { id } = await create(outbound);
  await service.forgetEvents();
  const move = (record: string, customer_id: string) =>
    service.post(staff, `/ops/communications/${record}/move`, { customer_id });
  expect(await move(id, 'C-1')).toMatchObject({ status: 200, body: { id, customer_id: 'C-1' } });
  expect(await move(id, 'C-2')).toMatchObject({ status: 409 });
  expect(await move(id, 'nobody')).toMatchObject({ status: 422, body: { errors: [{ path: 'customer_id' }] } });
  expect(await move(unknown, 'C-2')).toMatchObject({ status: 404 });
  expect(await service.events()).toEqual([]);
  expect(await service.db('communication_history').where({ communication_id: id })).toEqual([]);
});

test('each filter is counted, of those alone in which the words are, if there are any', async () => {
  await service.put(staff, '/ops/customers/C-counted', { name: 'Demo Counted', phones: [] });
  const counted = '/ops/customers/C-counted/communications';
  const counts = (query = '') => service.get(staff, `${counted}/counts${query}`);
  expect(await counts()).toMatchObject({ status: 200, body: { all: 0, messaging_app: 0, email: 0, notes: 0 } });
  await service.post(staff, counted, { ...inbound, type: 'EMAIL', subject: 'The permit', body: 'Hello' });
  await service.post(staff, counted, { ...inbound, type: 'SMS', body: 'Hello' });
  await service.post(staff, counted, { ...inbound, type: 'MESSAGING_APP', body: 'About the permit' });
  for (const body of ['permit', 'Hello']) await service.post(staff, '/ops/customers/C-counted/notes', { body });
  expect(await counts()).toMatchObject({ body: { all: 5, messaging_app: 1, email: 1, notes: 2 } });
  expect(await counts('?q=PERMIT')).toMatchObject({ body: { all: 3, messaging_app: 1, email: 1, notes: 1 } });
  expect(await service.get(staff, '/ops/customers/nobody/communications/counts')).toMatchObject({ status: 404 });
});

test('a wrong note is struck once, kept, and shown struck', async () => {
  const { body: written } = await service.post<Communication>(staff, '/ops/customers/C-1/notes', note);
  await service.forgetEvents();
  const strike = () => service.post(staff, `/ops/communications/${written.id}/strike`);
  expect(await strike()).toMatchObject({ status: 200, body: { ...written, struck: true } });
  expect(await strike()).toMatchObject({ status: 200, body: { ...written, struck: true } });
  expect((await service.events()).map(({ data }) => data.change)).toEqual(['struck']);
  const kept = await service.db('communication_history').where({ communication_id: written.id });
  expect(kept).toMatchObject([{ change: 'struck', actor: staff.sub }]);
  const { body } = await service.get<Page<Communication>>(staff, `${log}?filter=notes&limit=1`);
  expect(body.data[0]).toMatchObject({ id: written.id, body: note.body, struck: true });
});

test('what was said or sent is not struck, nor what does not exist', async () => {
  for (const record of [inbound, outbound]) {
    const { id } = await create(record);
    expect(await service.post(staff, `/ops/communications/${id}/strike`)).toMatchObject({ status: 409 });
  }
  expect(await service.post(staff, `/ops/communications/${unknown}/strike`)).toMatchObject({ status: 404 });
});

test('the same record posted twice under one Idempotency-Key is logged once and announced once', async () => {
  const headers = { 'idempotency-key': 'create-once' };
  const twins = await Promise.all([1, 2, 3].map(() => service.post<Communication>(staff, log, inbound, headers)));
  expect(new Set(twins.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  const replayed = twins.filter((answer) => answer.headers.get('idempotency-replayed') === 'true');
  expect(replayed).toHaveLength(2);
  expect(await service.events()).toHaveLength(2);
  expect(await service.post(staff, log, outbound, headers)).toMatchObject({ status: 422 });
});

test('when the last write of a create fails, nothing of it stays', async () => {
  const tables = ['communications', 'timeline', 'outbox'];
  const rows = () => Promise.all(tables.map(async (table) => (await service.db(table).count())[0]?.count));
  const before = await rows();
  await service.db.raw(`ALTER TABLE outbox ADD CONSTRAINT full_up CHECK (type <> 'communication.changed')`);
  expect(await service.post(staff, log, inbound)).toMatchObject({ status: 500 });
  await service.db.raw('ALTER TABLE outbox DROP CONSTRAINT full_up');
  expect(await rows()).toEqual(before);
});

test('a call is written down by when it was, which answers what was written by then and nothing later', async () => {
  await service.put(staff, '/ops/customers/C-calls', { name: 'Cara Demo' });
  const path = '/ops/customers/C-calls/communications';
  const waits = async () => (await service.get<{ waiting_since: string | null }>(staff, '/ops/customers/C-calls')).body;
  await create(inbound, path);
  const call = { type: 'CALL_LOG', direction: 'INTERNAL', subject: 'Permit', body: 'Said so' };
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const record = await create({ ...call, occurred_at: hourAgo }, path);
  expect(Date.parse(record.occurred_at)).toBe(Date.parse(hourAgo));
  expect((await waits()).waiting_since).not.toBeNull();
  await create(call, path);
  expect((await waits()).waiting_since).toBeNull();
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  for (const wrong of [
    { ...call, occurred_at: ahead },
    { ...inbound, occurred_at: hourAgo },
  ]) {
    const { status, body } = await service.post<Problem>(staff, path, wrong);
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'occurred_at' });
  }
});
