import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventData } from '@ops/contracts/events';
import type { WebhookDelivery, WebhookDeliveryDetail } from '@ops/contracts/resources/webhook-delivery';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { canary } from '@ops/test-kit/logs';
import { admin, startTestIngest, type TestIngest } from '../../test/service.ts';
import { appMessage, appWebhook, change, sms, smsWebhook, type Webhook } from '../../test/webhooks.ts';

let ingest: TestIngest;
beforeAll(async () => {
  ingest = await startTestIngest();
});
afterAll(() => ingest?.close());
beforeEach(async () => {
  await emptyTables(ingest.db, 'deliveries', 'items', 'parts', 'outbox');
});

const post = ({ path, body, headers }: Webhook) => ingest.post(path, body, headers);
const postMessage = (id: string, more: object = {}) => post(appWebhook(change({ messages: [appMessage(id, more)] })));
const url = '/ops/webhook-deliveries';

interface Listing {
  data: WebhookDelivery[];
  next_cursor: string | null;
}
const list = async (query = '') => (await ingest.as(admin).get(`${url}${query}`)).body as Listing;
const newest = async () => (await list()).data[0] as WebhookDelivery;
const detail = async (id: string) => (await ingest.as(admin).get(`${url}/${id}`)).body as WebhookDeliveryDetail;

describe('what staff see', () => {
  test('newest first, in pages, by provider and by outcome', async () => {
    for (const id of ['wamid.1', 'wamid.2']) await postMessage(id);
    await post(smsWebhook(sms('SM1')));
    await post(appWebhook(change({ event: 'X' }, 'account_update')));
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    const all = [...first.data, ...second.data];
    expect(all.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ['cloud-api', 'not_understood'],
      ['twilio', 'processed'],
      ['cloud-api', 'processed'],
      ['cloud-api', 'processed'],
    ]);
    expect(second.next_cursor).toBeNull();
    expect((await list('?provider=twilio')).data.map(({ id }) => id)).toEqual([all[1]?.id]);
    expect((await list('?outcome=not_understood')).data.map(({ id }) => id)).toEqual([all[0]?.id]);
  });

  test('one with what was found in it, and how often it came', async () => {
    const messages = [appMessage('wamid.1'), appMessage('wamid.2', { type: 'request_welcome' })];
    const webhook = appWebhook(change({ messages }));
    for (let n = 0; n < 3; n++) await post(webhook);
    const seen = await detail((await newest()).id);
    expect(seen).toMatchObject({ outcome: 'partly', items: 1, repeats: 2, size: webhook.body.length, redacted: false });
    expect(seen.found).toMatchObject([
      { kind: 'message', external_id: 'wamid.1', outcome: 'published', reason: null },
      { kind: 'request_welcome', external_id: 'wamid.2', outcome: 'not_understood', reason: expect.any(String) },
    ]);
    expect(JSON.stringify(seen)).not.toContain('canary');
  });

  test('nothing, under an id that is none', async () => {
    const id = '0198c0de-0000-7000-8000-000000000001';
    expect(await ingest.as(admin).get(`${url}/${id}`)).toMatchObject({ status: 404 });
    expect(await ingest.as(admin).post(`${url}/${id}/reprocess`)).toMatchObject({ status: 404 });
  });

  test('only who is an admin', async () => {
    expect(await ingest.as({ sub: 'agent-1', role: 'staff' }).get(url)).toMatchObject({ status: 403 });
  });
});

describe('read again', () => {
  const reprocess = async (id: string) => {
    const answer = await ingest.as(admin).post(`${url}/${id}/reprocess`);
    return { status: answer.status, body: answer.body as WebhookDeliveryDetail };
  };

  test('what was taken before is not taken twice', async () => {
    await postMessage('wamid.1');
    const before = await detail((await newest()).id);
    expect(await reprocess(before.id)).toMatchObject({
      status: 200,
      body: { outcome: 'processed', items: 1, found: before.found },
    });
    expect(await ingest.events()).toHaveLength(1);
  });

  test('what was not understood gets its chance once the reader knows better', async () => {
    await postMessage('wamid.1');
    const { id } = await newest();
    // As if the reader of the day had not known such messages.
    await ingest.db('items').update({ outcome: 'not_understood', status: 'NOT_UNDERSTOOD', reason: 'no message' });
    await ingest.db('deliveries').update({ outcome: 'not_understood', items: 0 });
    await ingest.db('outbox').delete();
    const { body } = await reprocess(id);
    expect(body).toMatchObject({ outcome: 'processed', items: 1, reason: null, found: [{ outcome: 'published' }] });
    expect(body.processed_at > body.received_at).toBe(true);
    expect(await ingest.events()).toMatchObject([{ data: { delivery_id: id, external_id: 'wamid.1' } }]);
  });

  test('what is still not understood says so, once', async () => {
    await post(appWebhook(change({ event: 'X' }, 'account_update')));
    const { id } = await newest();
    expect((await reprocess(id)).body).toMatchObject({
      outcome: 'not_understood',
      found: [{ kind: 'account_update' }],
    });
    expect(await ingest.db('items').select()).toHaveLength(1);
  });

  test('not once its payload is gone', async () => {
    await postMessage('wamid.1');
    await ingest.db('deliveries').update({ body: null, redacted_at: new Date() });
    const { id, redacted } = await newest();
    expect(redacted).toBe(true);
    expect((await reprocess(id)).status).toBe(409);
  });
});

test('what brought one of these items is held for longer than a run takes, by comms-service alone', async () => {
  await post(appWebhook(change({ messages: [appMessage('wamid.1'), appMessage('wamid.2')] })));
  await postMessage('wamid.3');
  const ids = (await ingest.events()).map(({ data }) => (data as EventData<'provider.message.received'>).item_id);
  const hold = (via: string) => ingest.internal('/internal/deliveries/hold', via, { item_ids: ids.slice(0, 2) });
  expect((await hold('notifier')).status).toBe(403);
  const { status, text } = await hold('comms-service');
  expect([status, JSON.parse(text)]).toEqual([200, { held: 1 }]);
  const held = await ingest.db('deliveries').where('held_until', '>', ingest.db.raw("now() + interval '23 hours'"));
  expect(held.map(({ items }) => items)).toEqual([2]);
});

describe('large parts', () => {
  const long = `${canary()} ${'a text as long as a book '.repeat(4_000)}`;

  test('the whole of a long text waits to be pulled, by comms-service alone', async () => {
    await postMessage('wamid.1', { text: { body: long } });
    const { body, parts } = (await ingest.events()).map(
      ({ data }) => data,
    )[0] as EventData<'provider.message.received'>;
    expect(body).toBe(long.slice(0, 65_536));
    expect(parts).toMatchObject([{ source: 'ingest', role: 'original', media_type: 'text/plain', size: long.length }]);
    const path = `/internal/delivery-parts/${parts[0]?.ref}`;
    expect(await ingest.internal(path, 'comms-service')).toMatchObject({ status: 200, text: long });
    expect(await ingest.internal(path, 'notifier')).toMatchObject({ status: 403 });
    expect(await ingest.get(path)).toMatchObject({ status: 401 });
  });

  test('those of a message that came before are not kept again', async () => {
    const text = { body: long };
    await postMessage('wamid.1', { text });
    await postMessage('wamid.1', { text, timestamp: '1750000001' });
    expect(await newest()).toMatchObject({ outcome: 'duplicate', items: 0 });
    expect(await ingest.db('parts').select('id')).toHaveLength(1);
    await ingest.as(admin).post(`${url}/${(await newest()).id}/reprocess`);
    expect(await ingest.db('parts').select('id')).toHaveLength(1);
  });

  test('nothing, under an id that is none', async () => {
    const path = '/internal/delivery-parts/0198c0de-0000-7000-8000-000000000001';
    expect(await ingest.internal(path, 'comms-service')).toMatchObject({ status: 404 });
  });
});
