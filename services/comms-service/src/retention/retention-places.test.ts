import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createOutbox } from '@ops/bus/outbox';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import { type Communication, communicationType } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { type RetentionSubject, retentionSubject } from '@ops/contracts/resources/retention';
import { daysBefore, retentionOrder, rowsByPlace } from '@ops/contracts/test/retention';
import { createRetention } from '@ops/service-kit/retention';
import { sharedPlaces } from '@ops/service-kit/retention-places';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import fc from 'fast-check';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { commsPlaces } from './retention-places.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ RETENTION_CRON: 'off' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await emptyTables(
    service.db,
    'communications',
    'attachments',
    'message_changes',
    'timeline',
    'outbox',
    'inbox',
    'opt_outs',
  );
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', phones: [phone], emails: ['ada@example.com'] });
});

const phone = '+447700900123';
const now = new Date();
const outbox = createOutbox('comms-service');
const apply = (order: RetentionOrder) => {
  const places = [...sharedPlaces, ...commsPlaces({ outbox, now: () => now })];
  return createRetention({ service: 'comms-service', db: service.db, places }).apply(order);
};
const order = (keep: Partial<Record<RetentionSubject, number>> = {}, dryRun = false) =>
  retentionOrder(now, keep, dryRun);

const log = async () => (await service.get<Page<Communication>>(staff, '/ops/customers/C-1/communications')).body.data;
const unread = async () => (await service.get<Customer>(staff, '/ops/customers/C-1')).body.unread_count;

/** Everything was said and written this much earlier; nothing of it is left in the outbox. */
async function age(days: number): Promise<void> {
  const earlier = (column: string) => service.db.raw("?? - ? * interval '1 day'", [column, days]);
  const times = ['occurred_at', 'received_at', 'created_at'];
  await service.db('communications').update(Object.fromEntries(times.map((time) => [time, earlier(time)])));
  await service.db('message_changes').update({ at: earlier('at') });
  await service.db('attachments').update({ created_at: earlier('created_at') });
  await service.forgetEvents();
}

const file = (communication_id: string | null, words: string) => ({
  id: uuidv7(),
  communication_id,
  role: 'file',
  name: `${words}.txt`,
  media_type: 'text/plain',
  size: 9,
  content_id: words,
  source: 'uploaded',
  ref: words,
  state: 'STORED',
  content: Buffer.from(words),
  created_at: now,
});

/** A provider says so of the first try, and of the second one. */
async function refuse(id: string, detail: string): Promise<void> {
  for (const attempt of [1, 2]) {
    const failure = { code: 'smtp:550', message: 'There is no such mailbox', detail };
    const sent = { provider: 'smtp', provider_message_id: null, attempt_id: uuidv7() };
    const about = { communication_id: id, customer_id: 'C-1', occurred_at: now.toISOString(), attempt };
    const data = { ...about, ...sent, status: 'FAILED', failure };
    const told = {
      specversion: '1.0',
      id: uuidv7(),
      source: 'notifier',
      subject: 'C-1',
      time: now.toISOString(),
    } as const;
    await service.bus.publish([{ event: { ...told, type: 'delivery.updated', data } }]);
    await eventually(async () => expect(await failureOf(id)).toEqual(failure));
    if (attempt === 1) await service.post(staff, `/ops/communications/${id}/retry`);
  }
}

const failureOf = async (id: string) => (await log()).find((one) => one.id === id)?.failure;

const noCard = { organisation: null, emails: [], addresses: [], websites: [], birthday: null };

/**
 * Words wherever words can be: a mail with files, edited and reacted to, one that a provider refused; texts, a note, a call;
 * what nobody could place.
 */
async function fill(words: string): Promise<void> {
  const post = (body: object) => service.post<Communication>(staff, '/ops/customers/C-1/communications', body);
  const sent = await post({ type: 'EMAIL', direction: 'OUTBOUND', body: words, subject: words });
  await refuse(sent.body.id, words);
  await post({ type: 'CALL_LOG', direction: 'INTERNAL', body: words, subject: words });
  await service.post(staff, '/ops/customers/C-1/notes', { body: words });
  const sender = { phone, name: words, username: words };
  const mail = said({
    channel: 'EMAIL',
    subject: words,
    recipient: `${words}@firm.example`,
    reply_to: `${words}@example.com`,
    body: `${words}\n\nOn Monday, Ada wrote:\n> ${words}`,
    sender: { phone: null, email: 'ada@example.com', name: words },
  });
  const contacts = [{ ...noCard, name: words, phones: [words] }];
  const place = { name: words, address: words, latitude: 51.5, longitude: -0.1 };
  const text = said({ body: words, sender, group: words, contacts, place });
  const about = { target_external_id: text.external_id, sender };
  const edit = said({ kind: 'edit', body: words, ...about });
  const withdrawal = said({ kind: 'withdrawal', ...about, occurred_at: '2026-03-01T12:10:00Z' });
  const reaction = said({ kind: 'reaction', emoji: words, ...about });
  const stray = said({ kind: 'edit', body: words, sender, target_external_id: 'never came' });
  const stranger = said({ body: words, sender: { phone: '+447700900999', name: words, username: words } });
  await taken(service, mail, text, edit, withdrawal, reaction, stray, stranger);
  const html = { ...file(mail.item_id, 'none'), role: 'html', page: words, page_rules: words };
  const files = [file(mail.item_id, words), file(stranger.item_id, words), file(null, words)];
  await service.db('attachments').insert([...files, html]);
}

test('past their time words and files are nowhere any more; that something was said stays', async () => {
  const words = canary();
  await fill(words);
  await age(3000);
  const [before, countBefore] = [await log(), await unread()];
  expect(await tablesHolding(service.db, words)).toEqual([
    'attachments',
    'communications',
    'inbound_messages',
    'message_changes',
  ]);
  const removed = { attachments: 3, uploads: 1, message_changes: 4, communications: 3, communications_unread: 3 };
  expect(rowsByPlace(await apply(order({}, true)))).toEqual(removed);
  expect(rowsByPlace(await apply(order()))).toEqual(removed);
  expect(await tablesHolding(service.db, words)).toEqual([]);
  expect(rowsByPlace(await apply(order()))).toEqual({});

  const facts = ({ id, type, direction, status, occurred_at, author, provider_message_id }: Communication) => ({
    id,
    type,
    direction,
    status,
    occurred_at,
    author,
    provider_message_id,
  });
  const after = await log();
  expect(after.map(facts)).toEqual(before.map(facts));
  expect(await unread()).toBe(countBefore);
  for (const record of after)
    expect(record).toMatchObject({
      body: '',
      subject: null,
      quoted: null,
      reactions: [],
      contacts: [],
      place: null,
      redacted_at: expect.any(String),
    });
  expect(after.find(({ attachments }) => attachments.length > 0)?.attachments).toMatchObject([
    { name: null, media_type: 'text/plain', size: 9, content_id: null, state: 'REDACTED' },
  ]);
});

test('an edit stays known as one, without its words, and a withdrawal as what it was', async () => {
  await fill(canary());
  const amendments = async () => (await log()).flatMap((record) => record.amendments);
  const [edit, withdrawal] = await amendments();
  expect([edit?.body, withdrawal?.body]).toEqual([expect.stringMatching('canary'), null]);
  await age(3000);
  await apply(order());
  expect(await amendments()).toEqual([{ ...edit, body: '' }, withdrawal]);
});

test('each record tells that it was redacted, once, and so does its history', async () => {
  await fill(canary());
  await age(3000);
  await apply(order());
  await apply(order());
  const ids = (await service.db('communications')).map(({ id }) => id).sort();
  const told = (await service.events()).map(({ type, data }) => ({ type, data: data as { communication_id: string } }));
  for (const event of told)
    expect(event).toMatchObject({ type: 'communication.changed', data: { change: 'redacted' } });
  expect(told.map(({ data }) => data.communication_id).sort()).toEqual(ids);
  const history = await service.db('communication_history').where({ change: 'redacted' });
  expect(history.map(({ communication_id }) => communication_id).sort()).toEqual(ids);
  expect(history.every(({ actor }) => actor === null)).toBe(true);
});

test('a type goes at its own time, and leaves the others', async () => {
  for (const type of communicationType.options) await write(type, 10);
  for (const type of communicationType.options) {
    expect(rowsByPlace(await apply(order({ [type]: 11 })))).toEqual({});
    expect(rowsByPlace(await apply(order({ [type]: 9 })))).toEqual({ communications: 1 });
    expect((await service.db('communications').whereNotNull('redacted_at').andWhere({ type })).length).toBe(1);
  }
});

test('what its sender made of a message later goes with the message', async () => {
  const [text, words] = [said({ body: 'Hello', sender: { phone } }), canary()];
  await taken(service, text);
  await age(3000);
  await taken(service, said({ kind: 'edit', body: words, target_external_id: text.external_id, sender: { phone } }));
  expect((await log())[0]?.amendments).toMatchObject([{ body: words }]);
  await service.db('message_changes').update({ at: now });
  expect(rowsByPlace(await apply(order()))).toEqual({ communications_unread: 1 });
  await service.forgetEvents();
  expect(await tablesHolding(service.db, words)).toEqual([]);
});

test('a change to what was said is kept for its own time when it comes later', async () => {
  const text = said({ body: 'Hello', sender: { phone } });
  await taken(service, text);
  await age(3000);
  await apply(order());
  const words = canary();
  const late = said({ kind: 'reaction', emoji: words, target_external_id: text.external_id, sender: { phone } });
  await taken(service, late);
  expect((await log())[0]?.reactions).toEqual([]);
  await age(3000);
  await apply(order());
  expect(await tablesHolding(service.db, words)).toEqual([]);
});

test('of decisions about messages of machines the one that stands is kept, without its reason', async () => {
  const wish = { kind: 'phone', value: phone, channel: 'SMS' };
  const words = canary();
  const set = (opted_out: boolean) =>
    service.put(staff, '/ops/customers/C-1/opt-outs', { ...wish, opted_out, reason: words });
  for (const opted_out of [true, false, true]) await set(opted_out);
  await service.post(staff, '/ops/customers/C-1/communications', { type: 'EMAIL', direction: 'INBOUND', body: 'STOP' });
  await service.post(staff, '/ops/customers/C-1/communications', {
    type: 'EMAIL',
    direction: 'INBOUND',
    body: 'START',
  });
  await emptyTables(service.db, 'outbox', 'idempotency_keys');
  await service.db('opt_outs').update({ decided_at: service.db.raw("decided_at - interval '3000 days'") });
  expect(rowsByPlace(await apply(order({}, true)))).toEqual({ opt_outs: 4 });
  expect(rowsByPlace(await apply(order()))).toEqual({ opt_outs: 4 });
  expect(rowsByPlace(await apply(order()))).toEqual({});
  expect(await service.db('opt_outs').orderBy('channel')).toMatchObject([
    { channel: 'EMAIL', opted_out: false },
    { channel: 'SMS', opted_out: true, reason: null },
  ]);
  expect(await tablesHolding(service.db, words)).toEqual([]);
});

test("of whoever is on legal hold nothing goes, whichever the place; what is nobody's goes", async () => {
  await fill(canary());
  const wish = { kind: 'phone', value: phone, channel: 'SMS' };
  for (const opted_out of [true, false])
    await service.put(staff, '/ops/customers/C-1/opt-outs', { ...wish, opted_out, reason: 'words' });
  await age(3000);
  await service.db('opt_outs').update({ decided_at: service.db.raw("decided_at - interval '3000 days'") });
  const held = { ...order(), held: ['C-1'] };
  const strangers = { attachments: 1, uploads: 1, message_changes: 1, communications_unread: 1 };
  expect(rowsByPlace(await apply({ ...held, dry_run: true }))).toEqual(strangers);
  expect(rowsByPlace(await apply(held))).toEqual(strangers);
  expect(await redacted()).toBe(0);
  expect(rowsByPlace(await apply(order()))).toEqual({
    attachments: 2,
    message_changes: 3,
    communications: 3,
    communications_unread: 2,
    opt_outs: 2,
  });
});

test('what was redacted before anybody placed it can still be listed and linked', async () => {
  await taken(service, said({ body: 'Hello', sender: { phone: '+447700900999', name: 'Zed' } }));
  await taken(service, said({ body: 'Hello', sender: { phone: '+447700900998', name: 'Zoe' } }));
  await age(3000);
  await apply(order());
  const { data } = (await service.get<Page<{ id: string }>>(staff, '/ops/unmatched')).body;
  expect(data).toHaveLength(2);
  const linked = await service.post(staff, `/ops/unmatched/${data[0]?.id}/link`, { customer_id: 'C-1' });
  expect(linked.status).toBe(200);
  expect(await log()).toHaveLength(1);
});

const redacted = async () => (await log()).filter(({ redacted_at }) => redacted_at !== null).length;

test('it counts from the latest time there is: neither a wrong clock nor a late entry makes anything go early', async () => {
  await write('CALL_LOG', 10);
  for (const time of ['occurred_at', 'received_at', 'created_at']) {
    const others = ['occurred_at', 'received_at', 'created_at'].filter((name) => name !== time);
    const long = Object.fromEntries(others.map((name) => [name, daysBefore(now, 3000)]));
    await service.db('communications').update({ ...long, [time]: daysBefore(now, 10) });
    expect(rowsByPlace(await apply(order({ CALL_LOG: 11 })))).toEqual({});
  }
  expect(rowsByPlace(await apply(order({ CALL_LOG: 9 })))).toEqual({ communications: 1 });
});

test('what nobody has read goes a year later, with its files, and is counted apart', async () => {
  const mail = said({ channel: 'EMAIL', sender: { phone: null, email: 'ada@example.com' } });
  await taken(service, mail);
  await service.db('attachments').insert(file(mail.item_id, 'words'));
  const agedTo = async (days: number) => {
    const at = daysBefore(now, days);
    await service.db('communications').update({ occurred_at: at, received_at: at, created_at: at });
  };
  await agedTo(300);
  expect(rowsByPlace(await apply(order({ EMAIL: 30 }, true)))).toEqual({});
  await agedTo(30 + 367);
  const unseen = { attachments: 1, communications_unread: 1 };
  expect(rowsByPlace(await apply(order({ EMAIL: 30 }, true)))).toEqual(unseen);
  await service.db('communications').update({ unread: false });
  await agedTo(31);
  expect(rowsByPlace(await apply(order({ EMAIL: 30 })))).toEqual({ attachments: 1, communications: 1 });
  expect(await redacted()).toBe(1);
});

async function write(type: string, daysAgo: number): Promise<string> {
  const id = uuidv7();
  const internal = type === 'INTERNAL_NOTE' || type === 'CALL_LOG';
  await service.db('communications').insert({
    id,
    customer_id: 'C-1',
    type,
    direction: internal ? 'INTERNAL' : 'OUTBOUND',
    body: 'words',
    unread: false,
    status: internal ? 'LOGGED' : 'SENT',
    occurred_at: daysBefore(now, daysAgo),
    created_at: daysBefore(now, daysAgo),
  });
  return id;
}

const days = fc.integer({ min: 1, max: 40 });
const records = fc.array(fc.tuple(fc.constantFrom(...communicationType.options), days, fc.nat({ max: 3 })), {
  maxLength: 10,
});
const policy = fc.record(
  Object.fromEntries(retentionSubject.options.map((subject) => [subject, days])),
) as fc.Arbitrary<Record<RetentionSubject, number>>;

test('whatever is there and whatever the policy: a dry run counts what the run removes, and a second finds nothing', async () => {
  await fc.assert(
    fc.asyncProperty(policy, records, fc.array(days, { maxLength: 3 }), async (keep, written, uploads) => {
      await emptyTables(service.db, 'communications', 'attachments', 'message_changes', 'outbox');
      for (const [type, daysAgo, files] of written) {
        const id = await write(type, daysAgo);
        for (let n = 0; n < files; n++) await service.db('attachments').insert(file(id, 'words'));
      }
      for (const daysAgo of uploads)
        await service.db('attachments').insert({ ...file(null, 'words'), created_at: daysBefore(now, daysAgo) });
      const promised = rowsByPlace(await apply(order(keep, true)));
      expect(rowsByPlace(await apply(order(keep)))).toEqual(promised);
      expect(rowsByPlace(await apply(order(keep)))).toEqual({});
      const past = written.filter(([type, daysAgo]) => daysAgo > keep[type]);
      expect(promised.communications ?? 0).toBe(past.length);
      expect(promised.attachments ?? 0).toBe(past.reduce((sum, [, , files]) => sum + files, 0));
    }),
    { numRuns: 15 },
  );
});
