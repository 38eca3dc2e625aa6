import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { customer, staff, startTestService, type TestService } from '../../test/service.ts';
import { lockKeys } from '../filing/identifier-store.ts';
import { messageKey } from '../filing/matching.rules.ts';
import type { DeliveryUpdate } from './delivery.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
});
afterAll(() => service.close());
beforeEach(() => service.forgetEvents());

const log = '/ops/customers/C-1/communications';
const failure = { code: 'smtp:550', message: 'no such mailbox' };
const unknown = '0195c4e0-0000-7000-8000-000000000001';

const send = async (change: object = {}) =>
  (await service.post<Communication>(staff, log, { type: 'EMAIL', direction: 'OUTBOUND', body: 'Hello', ...change }))
    .body;

const news = (record: Communication, status: DeliveryUpdate['status'], change: Partial<DeliveryUpdate> = {}) =>
  ({
    communication_id: record.id,
    customer_id: 'C-1',
    occurred_at: new Date().toISOString(),
    attempt: 1,
    attempt_id: uuidv7(),
    status,
    provider: 'smtp',
    provider_message_id: `<${record.id}@example.com>`,
    failure: status === 'FAILED' ? failure : null,
    ...change,
  }) satisfies DeliveryUpdate;

const event = (data: DeliveryUpdate): Envelope => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'notifier',
  subject: 'C-1',
  time: data.occurred_at,
  type: 'delivery.updated',
  data: { ...data },
});

const publish = (...list: Envelope[]) => service.bus.publish(list.map((one) => ({ event: one })));

const recordNow = async (id: string) => {
  const { body } = await service.get<Page<Communication>>(staff, `${log}?limit=200`);
  return body.data.find((record) => record.id === id) as Communication;
};
const historyOf = async (id: string) =>
  (await service.get<Page<HistoryEntry>>(staff, `/ops/communications/${id}/history?limit=200`)).body.data;

/** Tells it and waits until it is kept. */
async function tell(...updates: DeliveryUpdate[]) {
  const kept = async () => (await service.db('communication_history').where({ change: 'delivery' })).length;
  const before = await kept();
  await publish(...updates.map(event));
  await eventually(async () => expect(await kept()).toBe(before + updates.length));
}

const failed = async () => {
  const record = await send();
  await tell(news(record, 'FAILED'));
  await service.forgetEvents();
  return record;
};

test('each piece of news is kept once, the record shows the strongest, and its change is told', async () => {
  const record = await send();
  await service.forgetEvents();
  const sent = event(news(record, 'SENT', { occurred_at: '2026-03-01T12:00:00Z' }));
  const delivered = event(news(record, 'DELIVERED', { occurred_at: '2026-03-01T12:00:05Z' }));
  const read = event(news(record, 'READ', { occurred_at: '2026-03-01T12:00:09Z' }));
  await publish(read, delivered, delivered, sent, read);
  await eventually(async () => expect(await historyOf(record.id)).toHaveLength(3));
  expect(await recordNow(record.id)).toMatchObject({
    status: 'READ',
    failure: null,
    provider: 'smtp',
    provider_message_id: `<${record.id}@example.com>`,
  });
  const kept = await historyOf(record.id);
  expect(kept.map(({ change, actor, details }) => [change, actor, details.status])).toEqual([
    ['delivery', null, 'READ'],
    ['delivery', null, 'DELIVERED'],
    ['delivery', null, 'SENT'],
  ]);
  const told = (await service.events()).filter(({ type }) => type === 'communication.changed');
  expect(told.at(-1)?.data).toMatchObject({ change: 'status', status: 'READ', communication_id: record.id });
});

test('a batch about several records moves each by its own news', async () => {
  const records = [await send(), await send(), await send()] as const;
  await tell(news(records[0], 'SENT'), news(records[1], 'FAILED'), news(records[2], 'UNCERTAIN', { failure }));
  const now = await Promise.all(records.map(({ id }) => recordNow(id)));
  expect(now.map(({ status }) => status)).toEqual(['SENT', 'FAILED', 'UNCERTAIN']);
  expect(now.map((record) => record.failure)).toEqual([null, failure, failure]);
});

test('news of a record nobody knows costs the others of its batch nothing', async () => {
  const record = await send();
  const lost = event({ ...news(record, 'SENT'), communication_id: unknown });
  await publish(lost, event(news(record, 'SENT')));
  await eventually(async () => expect((await recordNow(record.id)).status).toBe('SENT'));
});

test('put off, it says until when, and screens are told; sent again by staff, it waits for nothing', async () => {
  const record = await send();
  await service.forgetEvents();
  const until = (day: number) => ({ send_after: `2026-03-0${day}T08:00:00.000Z`, provider_message_id: null });
  await tell(news(record, 'QUEUED', until(3)), news(record, 'QUEUED', until(2)));
  expect(await recordNow(record.id)).toMatchObject({ status: 'QUEUED', send_after: '2026-03-03T08:00:00.000000Z' });
  const told = { type: 'communication.changed', data: { communication_id: record.id, change: 'status' } };
  expect(await service.events()).toMatchObject([told]);
  await tell(news(record, 'QUEUED', until(3)));
  expect(await service.events()).toHaveLength(1);
  await tell(news(record, 'FAILED'));
  const { body } = await service.post<Communication>(staff, `/ops/communications/${record.id}/retry`);
  expect(body).toMatchObject({ status: 'QUEUED', send_after: null });
});

test('what failed is sent again as a new attempt, and news of the old one is history alone', async () => {
  const record = await failed();
  const { status, body } = await service.post<Communication>(staff, `/ops/communications/${record.id}/retry`);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'QUEUED', attempt: 2, failure: null } });
  const [queued, changed, ...others] = await service.events();
  expect(others).toEqual([]);
  expect(queued).toMatchObject({
    type: 'communication.queued',
    data: { communication_id: record.id, attempt: 2, to: 'ada@example.com', body: 'Hello' },
  });
  expect(changed?.data).toMatchObject({ change: 'status', status: 'QUEUED' });
  await tell(news(record, 'DELIVERED', { attempt: 1 }));
  expect(await recordNow(record.id)).toMatchObject({ status: 'QUEUED', attempt: 2 });
  await tell(news(record, 'SENT', { attempt: 2, provider_message_id: '<second@example.com>' }));
  expect(await recordNow(record.id)).toMatchObject({ status: 'SENT', provider_message_id: '<second@example.com>' });
  const changes = (await historyOf(record.id)).map(({ change, actor }) => `${change} ${actor}`);
  expect(changes.filter((change) => change.startsWith('retried'))).toEqual([`retried ${staff.sub}`]);
});

test.each([
  ['failed', 'FAILED'],
  ['was found not to have been sent', 'UNCERTAIN'],
] as const)('what %s is sent again in the template that was chosen for it', async (_, status) => {
  const template = { name: 'general_note', language: 'pt_BR' };
  const { body: record } = await service.post<Communication>(staff, log, {
    type: 'MESSAGING_APP',
    direction: 'OUTBOUND',
    body: 'Hello',
    template,
  });
  await tell(news(record, status, { failure }));
  if (status === 'UNCERTAIN')
    await service.post(staff, `/ops/communications/${record.id}/resolve`, { outcome: 'failed' });
  await service.forgetEvents();
  const { body } = await service.post<Communication>(staff, `/ops/communications/${record.id}/retry`);
  expect(body).toMatchObject({ status: 'QUEUED', template });
  expect((await service.events())[0]).toMatchObject({
    type: 'communication.queued',
    data: { communication_id: record.id, attempt: 2, template },
  });
});

test('of many who send it again at once, one does', async () => {
  const record = await failed();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.post(staff, `/ops/communications/${record.id}/retry`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  const queued = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued.map(({ data }) => data.attempt)).toEqual([2]);
});

test('only what failed is sent again, and only what is uncertain is settled', async () => {
  const outbound = await send();
  const { body: inbound } = await service.post<Communication>(staff, log, {
    type: 'EMAIL',
    direction: 'INBOUND',
    body: 'Hello',
  });
  for (const { id } of [outbound, inbound]) {
    expect(await service.post(staff, `/ops/communications/${id}/retry`)).toMatchObject({ status: 409 });
    for (const outcome of ['sent', 'failed'])
      expect(await service.post(staff, `/ops/communications/${id}/resolve`, { outcome })).toMatchObject({
        status: 409,
      });
  }
  expect(await service.post(staff, `/ops/communications/${unknown}/retry`)).toMatchObject({ status: 404 });
  expect(await service.post(staff, `/ops/communications/${unknown}/resolve`, { outcome: 'sent' })).toMatchObject({
    status: 404,
  });
});

test.each([
  ['sent', 'SENT', null],
  ['failed', 'FAILED', 'settled_as_failed'],
] as const)('what is uncertain is settled as %s, once, by a person', async (outcome, status, code) => {
  const record = await send();
  await tell(news(record, 'UNCERTAIN', { failure }));
  await service.forgetEvents();
  const resolve = () => service.post<Communication>(staff, `/ops/communications/${record.id}/resolve`, { outcome });
  for (const answer of [await resolve(), await resolve()]) {
    expect(answer).toMatchObject({ status: 200, body: { status } });
    expect(answer.body.failure?.code ?? null).toBe(code);
  }
  expect((await service.events()).map(({ data }) => [data.change, data.status])).toEqual([['status', status]]);
  const [last] = (await historyOf(record.id)).filter(({ change }) => change === 'resolved');
  expect(last).toMatchObject({ actor: staff.sub, details: { outcome, attempt: 1 } });
  await tell(news(record, 'DELIVERED'));
  expect((await recordNow(record.id)).status).toBe('DELIVERED');
});

test('failed and uncertain sends are listed, newest first, by status and type, page by page', async () => {
  const records = [await send(), await send(), await send()] as const;
  await tell(news(records[0], 'FAILED'), news(records[1], 'UNCERTAIN'), news(records[2], 'FAILED'));
  const list = async (query: string) => {
    const { body } = await service.get<Page<Communication>>(staff, `/ops/communications/failed?${query}`);
    return body;
  };
  const ids = ({ data }: Page<Communication>) => data.map(({ id }) => id);
  const [first, second, third] = records.map(({ id }) => id);
  expect(ids(await list('limit=3'))).toEqual([third, second, first]);
  expect(ids(await list('limit=1&status=UNCERTAIN'))).toEqual([second]);
  expect(ids(await list('type=SMS'))).toEqual([]);
  const page = await list('limit=2');
  expect(ids(await list(`limit=1&cursor=${page.next_cursor}`))).toEqual([first]);
  expect(await service.get(customer('C-1'), '/ops/communications/failed')).toMatchObject({ status: 403 });
});

test('history is for staff, page by page, and of records that exist', async () => {
  const record = await send();
  await tell(news(record, 'SENT'), news(record, 'DELIVERED'), news(record, 'READ'));
  const path = `/ops/communications/${record.id}/history`;
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await service.get<Page<HistoryEntry>>(
      staff,
      `${path}?limit=1${cursor ? `&cursor=${cursor}` : ''}`,
    );
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual((await historyOf(record.id)).map(({ id }) => id));
  expect(seen).toHaveLength(3);
  expect(await service.get(staff, `/ops/communications/${unknown}/history`)).toMatchObject({ status: 404 });
  expect(await service.get(customer('C-1'), path)).toMatchObject({ status: 403 });
});

const ask = async (id: string, attempt = 1) => {
  const response = await service.asked('notifier', `/internal/communications/${id}/send-permission?attempt=${attempt}`);
  return { status: response.status, body: (await response.json()) as SendPermission };
};

test('notifier learns what holds now, not what held when the record was queued', async () => {
  const record = await send();
  expect(await ask(record.id)).toMatchObject({ status: 200, body: { may_send: true, to: 'ada@example.com' } });
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['new@example.com'] });
  expect((await ask(record.id)).body).toMatchObject({ may_send: true, to: 'new@example.com' });
  expect((await ask(record.id, 2)).body.reason?.code).toBe('cancelled');
  await service.put(staff, '/ops/customers/C-1', {
    name: 'Ada Demo',
    emails: ['ada@example.com'],
    do_not_contact: true,
  });
  expect((await ask(record.id)).body).toMatchObject({ may_send: false, reason: { code: 'do_not_contact' } });
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
  await tell(news(record, 'SENT'));
  expect((await ask(record.id)).body.reason?.code).toBe('cancelled');
});

test('nobody else is told, and of no record that is not there', async () => {
  const { id } = await send();
  const path = `/internal/communications/${id}/send-permission?attempt=1`;
  for (const caller of ['renewals-service', 'webhook-ingest', 'comms-service'] as const)
    expect((await service.asked(caller, path)).status).toBe(403);
  expect((await ask(unknown)).status).toBe(404);
  expect((await service.asked('notifier', path.replace('=1', '=0'))).status).toBe(422);
});

const askOfSeveral = async (...data: { id: string; attempt: number }[]) => {
  const response = await service.asked('notifier', '/internal/communications/send-permissions', { data });
  return ((await response.json()) as { data: (SendPermission | null)[] }).data;
};

test('of several attempts each is told as it would be by itself, in the order asked for', async () => {
  await service.put(staff, '/ops/customers/C-2', { name: 'Grace Demo', phones: ['+447700900477'] });
  const said = { type: 'MESSAGING_APP', body: 'Hello' };
  const { body: heard } = await service.post<Communication>(staff, '/ops/customers/C-2/communications', {
    ...said,
    direction: 'INBOUND',
  });
  const write = async (more: object) =>
    (
      await service.post<Communication>(staff, '/ops/customers/C-2/communications', {
        ...said,
        direction: 'OUTBOUND',
        ...more,
      })
    ).body;
  const [mail, text, reply] = [await send(), await write({}), await write({ in_reply_to: heard.id })];
  const asked = [reply, mail, text].map(({ id }) => ({ id, attempt: 1 }));
  const told = await askOfSeveral({ id: unknown, attempt: 1 }, ...asked, { id: mail.id, attempt: 2 });
  expect(told).toEqual([
    null,
    (await ask(reply.id)).body,
    (await ask(mail.id)).body,
    (await ask(text.id)).body,
    (await ask(mail.id, 2)).body,
  ]);
  expect(told.map((one) => one?.may_send)).toEqual([undefined, true, true, true, false]);
  expect(told[3]?.window_open_until).not.toBeNull();
});

test('of several, what somebody is about to change is passed by; asked alone it waits for them', async () => {
  const [held, free] = [await send(), await send()];
  const changing = await service.db.transaction();
  await changing('communications').where({ id: held.id }).update({ attempt: 2 });
  expect(await askOfSeveral({ id: held.id, attempt: 1 }, { id: free.id, attempt: 1 })).toMatchObject([
    null,
    { may_send: true },
  ]);
  const told = ask(held.id);
  await eventually(async () => {
    const { rows } = await service.db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
  await changing.commit();
  expect((await told).body.reason?.code).toBe('cancelled');
});

test('news that waits for a reply being taken in holds no record meanwhile: the two never wait for each other', async () => {
  const [known, fresh] = [await send(), await send()];
  await tell(news(known, 'SENT'));
  const inbound = await service.db.transaction();
  await lockKeys(inbound, [messageKey('EMAIL', `<${fresh.id}@example.com>`)]);
  await publish(event(news(known, 'DELIVERED')), event(news(fresh, 'SENT')));
  await eventually(async () => {
    const { rows } = await service.db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
  await inbound.raw('SELECT FROM communications WHERE id = ANY (?) FOR UPDATE NOWAIT', [[known.id, fresh.id]]);
  await inbound.commit();
  await eventually(async () =>
    expect([(await recordNow(known.id)).status, (await recordNow(fresh.id)).status]).toEqual(['DELIVERED', 'SENT']),
  );
});
