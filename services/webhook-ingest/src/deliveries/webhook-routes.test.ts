import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { webhooks } from '@ops/contracts/webhooks';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { basic, mailOf } from '../../test/mails.ts';
import { startTestIngest, type TestIngest } from '../../test/service.ts';
import {
  appMessage,
  appSignature,
  appWebhook,
  change,
  settings,
  sms,
  smsWebhook,
  type Webhook,
} from '../../test/webhooks.ts';
import { insertDeliveries } from './delivery-store.ts';

const mib = 1024 * 1024;
let ingest: TestIngest;
beforeAll(async () => {
  ingest = await startTestIngest();
});
afterAll(() => ingest?.close());
beforeEach(async () => {
  await emptyTables(ingest.db, 'deliveries', 'items', 'parts', 'outbox');
});

const post = ({ path, body, headers }: Webhook, more: Record<string, string> = {}) =>
  ingest.post(path, body, { ...headers, ...more });
const hello = (id = 'wamid.1') => appWebhook(change({ messages: [appMessage(id)] }));
const counts = async () => {
  const { rows } = await ingest.db.raw(
    `SELECT (SELECT count(*)::int FROM deliveries) AS deliveries, (SELECT count(*)::int FROM items) AS items,
            (SELECT count(*)::int FROM outbox) AS events, (SELECT coalesce(sum(repeats), 0)::int FROM deliveries) AS repeats`,
  );
  return rows[0];
};

/** None is kept before all of them have come. */
async function atOnce<T>(requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  let come = 0;
  const oneMore = () => {
    come += 1;
  };
  subscribe('http.server.request.start', oneMore);
  const held = await ingest.db.transaction();
  await held.raw('LOCK TABLE deliveries IN SHARE MODE');
  const answers = Promise.all(requests.map((request) => request()));
  await eventually(() => expect(come).toBeGreaterThanOrEqual(requests.length)).finally(() => held.rollback());
  unsubscribe('http.server.request.start', oneMore);
  return answers;
}

test('every webhook of the OpenAPI document has somebody who asks for its signature', async () => {
  for (const { method, path } of Object.values(webhooks)) {
    const { status } = method === 'GET' ? await ingest.get(path) : await ingest.post(path, '{}');
    expect([path, status]).toEqual([path, method === 'GET' ? 403 : 401]);
  }
});

describe('the messaging app', () => {
  test('of the phone, what is told at once, later and with its file are items of their own, each once', async () => {
    const past = { from: '447700900123', id: 'wamid.past', timestamp: '1750000000' };
    const history = (message: object) =>
      appWebhook(change({ history: [{ threads: [{ id: '447700900123', messages: [message] }] }] }, 'history'));
    const file = { ...past, type: 'image', image: { id: 'M1', mime_type: 'image/jpeg' } };
    const echo = { ...past, to: '447700900123', from: '447700900000', type: 'text', text: { body: 'Hello' } };
    await post(history({ ...past, type: 'media_placeholder' }));
    await post(appWebhook(change({ messages: [file] }, 'history')));
    await post(appWebhook(change({ message_echoes: [echo] }, 'smb_message_echoes')));
    expect(await counts()).toEqual({ deliveries: 3, items: 3, events: 3, repeats: 0 });
    await post(history({ ...past, type: 'media_placeholder', other: 'wrapping' }));
    expect(await counts()).toEqual({ deliveries: 4, items: 3, events: 3, repeats: 0 });
  });

  test('a signed message is kept byte for byte and announced once', async () => {
    const webhook = hello();
    expect(await post(webhook)).toMatchObject({ status: 200, text: '' });
    const [delivery] = await ingest.db('deliveries').select();
    expect(delivery.body.toString()).toBe(webhook.body);
    const [event, ...more] = await ingest.events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'provider.message.received',
      subject: 'MESSAGING_APP:+447700900123',
      data: {
        delivery_id: delivery.id,
        provider: 'cloud-api',
        account: 'PHONE-1',
        external_id: 'wamid.1',
        occurred_at: delivery.received_at.toISOString(),
        claimed_at: '2025-06-15T15:06:40.000Z',
        received_at: delivery.received_at.toISOString(),
        sender: { phone: '+447700900123', user_id: null },
      },
    });
  });

  test('fifty at once, and again after a restart, are one', async () => {
    const webhook = hello();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(webhook)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await counts()).toEqual({ deliveries: 1, items: 1, events: 1, repeats: 49 });
    await ingest.restart();
    expect(await post(webhook)).toMatchObject({ status: 200 });
    expect(await counts()).toEqual({ deliveries: 1, items: 1, events: 1, repeats: 50 });
  });

  test('forty that come at once share their commits, and each event belongs to the request that brought it', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `wamid.${n}`);
    const answers = await atOnce(ids.map((id) => () => post(hello(id), { 'x-request-id': `request-${id}` })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await counts()).toEqual({ deliveries: 40, items: 40, events: 40, repeats: 0 });
    const events = await ingest.events();
    const requestOf = (id: string) =>
      events.find(({ data }) => (data as { external_id: string }).external_id === id)?.requestid;
    expect(ids.map(requestOf)).toEqual(ids.map((id) => `request-${id}`));
    const { rows } = await ingest.db.raw('SELECT count(DISTINCT xmin::text)::int AS commits FROM deliveries');
    expect(rows[0].commits).toBeLessThan(20);
  });

  test('the same message in other bytes is kept as a duplicate and not announced again', async () => {
    const message = appMessage('wamid.1');
    const payloads = [[message], [message, appMessage('wamid.2')], [message]].map((messages, n) =>
      appWebhook({ ...change({ messages }), n }),
    );
    await Promise.all(payloads.map((payload) => post(payload)));
    expect(await counts()).toMatchObject({ deliveries: 3, items: 2, events: 2 });
    const page = (await ingest.as({ sub: 'a', role: 'admin' }).get('/ops/webhook-deliveries?outcome=duplicate')).body;
    expect((page as { data: unknown[] }).data.length).toBeGreaterThanOrEqual(1);
  });

  test('requests that share many items, each in an order of its own, do not stop each other', async () => {
    const receipt = (id: string) => ({ id, status: 'delivered', timestamp: '1750000000' });
    for (const round of [1, 2, 3, 4, 5]) {
      const inOrder = Array.from({ length: 60 }, (_, n) => receipt(`wamid.${round}.${n}`));
      const orders = [inOrder, inOrder.toReversed(), [...inOrder.slice(30), ...inOrder.slice(0, 30)]];
      await Promise.all(orders.map((statuses, n) => post(appWebhook({ ...change({ statuses }), n }))));
    }
    expect(await counts()).toMatchObject({ deliveries: 15, items: 300, events: 300 });
    const { rows } = await ingest.db.raw('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    expect(rows).toEqual([{ deadlocks: '0' }]);
  });

  test('one id twice in one payload is one message', async () => {
    const message = appMessage('wamid.1');
    await post(appWebhook(change({ messages: [message, message] })));
    expect(await counts()).toMatchObject({ items: 1, events: 1 });
  });

  const { body, headers, path } = hello();
  const good = headers['x-hub-signature-256'] as string;
  const cases: Record<string, [string, Record<string, string>]> = {
    'no signature': [body, {}],
    'an empty digest': [body, { 'x-hub-signature-256': 'sha256=' }],
    'a digest too short': [body, { 'x-hub-signature-256': good.slice(0, -1) }],
    'a digest too long': [body, { 'x-hub-signature-256': `${good}0` }],
    'a digest that is no hex': [body, { 'x-hub-signature-256': `sha256=${'z'.repeat(64)}` }],
    'a digest of bytes beyond ASCII': [body, { 'x-hub-signature-256': `sha256=${'\u00e9'.repeat(64)}` }],
    'SHA-1 alone': [body, { 'x-hub-signature': good.replace('sha256', 'sha1') }],
    'SHA-1 in the place of SHA-256': [body, { 'x-hub-signature-256': good.replace('sha256', 'sha1') }],
    'a signature given twice': [body, { 'x-hub-signature-256': `${good}, ${good}` }],
    'the secret of another app': [body, { 'x-hub-signature-256': appSignature(body, 'another') }],
    'a byte changed': [body.replace('WABA', 'WABB'), { 'x-hub-signature-256': good }],
    'a newline added': [`${body}\n`, { 'x-hub-signature-256': good }],
    'the JSON written anew': [JSON.stringify(JSON.parse(body), null, 1), { 'x-hub-signature-256': good }],
    'no body at all': ['', { 'x-hub-signature-256': good }],
  };
  test.each(Object.entries(cases))('%s is refused and leaves nothing', async (_, [sent, signed]) => {
    const answer = await ingest.post(path, sent, signed);
    expect(answer).toMatchObject({ status: 401 });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await counts()).toMatchObject({ deliveries: 0, events: 0 });
  });

  test('a digest in capitals is the same digest', async () => {
    expect(
      await ingest.post(path, body, { 'x-hub-signature-256': `sha256=${good.slice(7).toUpperCase()}` }),
    ).toMatchObject({
      status: 200,
    });
  });

  test('the challenge is answered with its own words to who knows our token', async () => {
    const ask = (query: string) => ingest.get(`/webhooks/messaging-app?${query}`);
    const asked = 'hub.mode=subscribe&hub.challenge=12%3C34&hub.verify_token=';
    const answer = await ask(`${asked}verify-token`);
    expect(answer).toMatchObject({ status: 200, text: '12<34' });
    expect(answer.headers.get('content-type')).toMatch('text/plain');
    for (const query of [`${asked}other`, asked, '', `${asked}verify-token`.replace('subscribe', 'x'), 'hub.mode=%zz'])
      expect(await ask(query)).toMatchObject({ status: 403 });
  });

  test('what is not understood is kept, visible, and answered 200', async () => {
    const payloads = ['not json', '[]', '{}', 'null', '{"entry":[{"changes":[{"value":7}]}]}'];
    for (const payload of payloads) expect(await post(appWebhook(payload))).toMatchObject({ status: 200 });
    expect(await post(appWebhook(change({ event: 'DISABLED_UPDATE' }, 'account_update')))).toMatchObject({
      status: 200,
    });
    expect(await counts()).toMatchObject({ deliveries: 6, events: 0 });
    expect(await ingest.db('deliveries').distinct('outcome')).toEqual([{ outcome: 'not_understood' }]);
  });
});

describe('Twilio', () => {
  test('a message is taken and answered with no text to send back', async () => {
    const answer = await post(smsWebhook(sms('SM1')));
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('<Response/>') });
    expect(answer.headers.get('content-type')).toMatch('text/xml');
    expect(await ingest.events()).toMatchObject([{ data: { provider: 'twilio', channel: 'SMS', external_id: 'SM1' } }]);
  });

  test('DELIVERED and READ of one message are two receipts; each comes once', async () => {
    const attempt = '0198c0de-0000-7000-8000-000000000001';
    const status = (MessageStatus: string) =>
      smsWebhook({ MessageSid: 'SM1', MessageStatus, To: '+447700900123' }, `?attempt=${attempt}`);
    for (const name of ['delivered', 'read', 'delivered'])
      expect(await post(status(name))).toMatchObject({ status: 200 });
    const receipts = await ingest.events('provider.receipt.received');
    expect(receipts.map(({ data }) => [data.status, data.attempt_id])).toEqual([
      ['DELIVERED', attempt],
      ['READ', attempt],
    ]);
  });

  test('a signature for another address or another field is refused', async () => {
    const { path, body, headers } = smsWebhook(sms('SM1'));
    expect(await ingest.post(`${path}?more=1`, body, headers)).toMatchObject({ status: 401 });
    expect(await ingest.post(path, `${body}&Body=other`, headers)).toMatchObject({ status: 401 });
    expect(await ingest.post(path, body, { 'x-twilio-signature': '' })).toMatchObject({ status: 401 });
  });
});

test('bodies that were compressed are refused: the signature is over the bytes as they came', async () => {
  expect(await post(hello(), { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  expect(await post(hello(), { 'content-encoding': 'identity' })).toMatchObject({ status: 200 });
});

test('a body at the limit is taken, one byte more is not', async () => {
  const written = JSON.stringify(change({ messages: [appMessage('wamid.big')] }));
  const payload = (size: number) => appWebhook(written + ' '.repeat(size - written.length));
  expect(await post(payload(4 * mib))).toMatchObject({ status: 200 });
  expect(await post(payload(4 * mib + 1))).toMatchObject({ status: 413 });
  const text = (size: number) => smsWebhook(sms('SM-big', { Body: 'x'.repeat(size) }));
  const rest = text(0).body.length;
  expect(await post(text(mib - rest))).toMatchObject({ status: 200 });
  expect(await post(text(mib - rest + 1))).toMatchObject({ status: 413 });
});

test('what is announced as too long is refused unread, and what grows too long is cut off', async () => {
  const signature = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`;
  const head = `POST /webhooks/messaging-app HTTP/1.1\r\nHost: x\r\n${signature}`;
  const announced = await talk(`${head}Content-Length: 500000000\r\n\r\nx`, 0);
  expect(announced.answer).toMatch(/^HTTP\/1.1 413 /);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const grown = await talk(`${head}Transfer-Encoding: chunked\r\n\r\n`, 4_000, chunk);
  // Who is still sending when the connection ends may find it reset before the answer is read.
  expect(grown.answer).toMatch(/^(HTTP\/1.1 413 |$)/);
  expect(grown.written).toBeLessThan(64 * 1024 * 1024);
});

/** Sends `first`, then `chunk` up to so many times or until the other side ends the connection. */
function talk(first: string, times: number, chunk = ''): Promise<{ answer: string; written: number }> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(ingest.port, '127.0.0.1');
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ answer, written: socket.bytesWritten }));
    socket.on('end', () => socket.destroy());
    socket.write(first);
    let left = times;
    const more = () => {
      while (left-- > 0 && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  });
}

describe('bodies that never end', () => {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });

  /** Sends this much of a body, and then nothing. */
  function begin(path: string, headers: Record<string, string>, body: Buffer | string) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(ingest.port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`);
    socket.write(body);
    return socket;
  }
  const answerOf = async (socket: Socket) => String((await once(socket, 'data'))[0]);
  const authorization = basic(settings.EMAIL_MIME_BASIC_AUTH);
  const unsigned = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`, 'Content-Length': String(mib) };

  test('hold no place that somebody else needs', async () => {
    for (let n = 0; n < 20; n++)
      begin('/webhooks/email/mime', { authorization, 'Content-Length': String(40 * mib) }, 'From');
    const mail = Buffer.concat([mailOf(), Buffer.alloc(2 * mib, 'a word ')]);
    expect(await ingest.post('/webhooks/email/mime', mail, { authorization })).toMatchObject({ status: 200 });
  });

  test('are given up for those that come, and what is signed is taken all the while', async () => {
    const unended = Buffer.alloc(mib - 1, 'a');
    const many = Array.from({ length: 120 }, () => begin('/webhooks/messaging-app', unsigned, unended));
    const answered = many.map(answerOf);
    expect(await Promise.race(answered)).toMatch(/^HTTP\/1.1 503 .*Retry-After: 5\r\n/s);
    for (const n of [1, 2, 3]) expect(await post(hello(`wamid.${n}`))).toMatchObject({ status: 200 });
  });

  test.each([
    ['of a provider that is not set up', '/webhooks/email/mailgun', {}],
    ['without a signature', '/webhooks/messaging-app', {}],
    ['without a signature', '/webhooks/sms', {}],
    ['with a wrong password', '/webhooks/email/mime', { authorization: basic('mime:wrong') }],
  ])('%s are refused unread at %s', async (_, path, headers) => {
    expect(await answerOf(begin(path, { ...headers, 'Content-Length': '1000' }, ''))).toMatch(/^HTTP\/1.1 401 /);
  });
});

test('while the database is away the provider is asked to come back, and then finds everything as it was', async () => {
  const webhook = hello();
  await ingest.databaseAway(true);
  const answer = await post(webhook);
  await ingest.databaseAway(false);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await post(webhook)).toMatchObject({ status: 200 });
  expect(await counts()).toMatchObject({ deliveries: 1, events: 1 });
});

test('when the last write fails nothing of a delivery stays', async () => {
  await ingest.db.raw(`ALTER TABLE outbox ADD CONSTRAINT full_up CHECK (type <> 'provider.message.received')`);
  expect((await post(hello())).status).toBe(500);
  await ingest.db.raw('ALTER TABLE outbox DROP CONSTRAINT full_up');
  expect(await counts()).toMatchObject({ deliveries: 0, items: 0, events: 0 });
});

test('what was kept though nobody heard so is not taken for new when it is kept again', async () => {
  const body = Buffer.from('{}');
  const summary = { outcome: 'processed', reason: null, items: 1 } as const;
  const request = { provider: 'cloud-api', path: '/webhooks/messaging-app', content_type: null, body } as const;
  const given = { ...request, ...summary, id: uuidv7(), fingerprint: body, replay_key: null, received_at: new Date() };
  const keep = () => inTransaction(ingest.db, (trx) => insertDeliveries(trx, [given]));
  expect([await keep(), await keep()]).toEqual([new Set([given.id]), new Set()]);
});
