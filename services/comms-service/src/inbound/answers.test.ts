import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication, OutsideType } from '@ops/contracts/resources/communication';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let tests = 0;
let path = '';
let email = '';
let phone = '';

beforeEach(async () => {
  tests += 1;
  path = `/ops/customers/C-${tests}`;
  email = `ada${tests}@example.com`;
  phone = `+4477009002${String(tests).padStart(2, '0')}`;
  await service.put(staff, path, { name: 'Ada Demo', emails: [email], phones: [phone] });
  await service.forgetEvents();
});

interface Sent {
  type?: OutsideType;
  renewal_id?: string | null;
  other_renewal_ids?: string[];
  name?: string | null;
  occurred_at?: string;
  send_after?: string;
  status?: string;
  to?: string;
}

/** Something we sent before, as it is in the log. */
async function sent({ type = 'EMAIL', name = null, to = path, ...rest }: Sent): Promise<string> {
  const record = { type, direction: 'OUTBOUND', body: 'Your permit' };
  const { body } = await service.post<Communication>(staff, `${to}/communications`, record);
  const row = { occurred_at: '2026-02-20T00:00:00Z', status: 'SENT', provider_message_id: name, ...rest };
  await service.db('communications').where({ id: body.id }).update(row);
  return body.id;
}

const mail = (answers: { external_ids?: string[]; token?: string }, rest = {}) =>
  said({ channel: 'EMAIL', sender: { email }, answers, ...rest });

async function logged(message: { item_id: string }, of = path): Promise<Communication> {
  const { body } = await service.get<Page<Communication>>(staff, `${of}/communications?limit=200`);
  const record = body.data.find(({ id }) => id === message.item_id);
  if (!record) throw new Error('not logged');
  return record;
}

test('a reply is tied to the message it names, the newest known one first', async () => {
  await sent({ name: '<old@example.com>' });
  const newest = await sent({ name: '<new@example.com>' });
  const reply = mail({ external_ids: ['<unknown@example.com>', '<new@example.com>', '<old@example.com>'] });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: newest, renewal_id: null });
});

test('a reply to an earlier message of the same batch is tied to it', async () => {
  const first = mail({}, { external_id: '<first@example.com>', occurred_at: '2026-03-01T11:00:00Z' });
  const second = mail({ external_ids: ['<first@example.com>'] });
  await taken(service, second, first);
  expect(await logged(second)).toMatchObject({ in_reply_to: first.item_id });
});

test('replies of one batch that answer one another belong to the same renewal, however many they are', async () => {
  const renewal_id = uuidv7();
  await sent({ renewal_id });
  const minutes = [10, 11, 12, 13];
  const replies = minutes.map((minute) =>
    mail(
      { external_ids: [`<${minute - 1}-${tests}@example.com>`] },
      { external_id: `<${minute}-${tests}@example.com>`, occurred_at: `2026-03-01T12:${minute}:00Z` },
    ),
  );
  await taken(service, ...replies.toReversed());
  for (const reply of replies) expect(await logged(reply)).toMatchObject({ renewal_id });
});

describe('an answer to a letter about several renewals', () => {
  const ids = Array.from({ length: 3 }, () => uuidv7());
  const [first = '', ...others] = ids;
  const about = { renewal_id: first, renewal_ids: ids };

  test('is about all of them, whichever message names it, and what staff answer to it too', async () => {
    const letter = await sent({ renewal_id: first, other_renewal_ids: others });
    await sent({ renewal_id: uuidv7() });
    const reply = mail({ token: letter.replaceAll('-', '') });
    await taken(service, reply);
    expect(await logged(reply)).toMatchObject({ in_reply_to: letter, ...about });
    const told = (await service.events()).filter(({ type }) => type === 'communication.changed');
    expect(told.findLast(({ data }) => data.communication_id === reply.item_id)?.data).toMatchObject(about);
    const ours = { type: 'EMAIL', direction: 'OUTBOUND', body: 'Thank you', in_reply_to: reply.item_id };
    expect((await service.post<Communication>(staff, `${path}/communications`, ours)).body).toMatchObject(about);
  });

  test('that names nothing is about all of it, if it was the only one, also where it came twice', async () => {
    await sent({ type: 'MESSAGING_APP', renewal_id: first, other_renewal_ids: others });
    const newest = { renewal_id: others[1] as string, other_renewal_ids: [first, others[0] as string] };
    await sent({ type: 'MESSAGING_APP', ...newest, occurred_at: '2026-02-21T00:00:00Z' });
    const reply = said({ sender: { phone } });
    await taken(service, reply);
    expect((await logged(reply)).renewal_ids).toEqual([newest.renewal_id, ...newest.other_renewal_ids]);
  });

  test('that names nothing is about what every letter was about: whichever it answers, it is about that', async () => {
    const [second = '', third = ''] = others;
    await sent({ type: 'MESSAGING_APP', renewal_id: first, other_renewal_ids: others });
    const shorter = { renewal_id: third, other_renewal_ids: [first] };
    await sent({ type: 'MESSAGING_APP', ...shorter, occurred_at: '2026-02-21T00:00:00Z' });
    const reply = said({ sender: { phone } });
    await taken(service, reply);
    expect(await logged(reply)).toMatchObject({ renewal_id: third, renewal_ids: [third, first] });
    await sent({ type: 'MESSAGING_APP', renewal_id: second, occurred_at: '2026-02-22T00:00:00Z' });
    const another = said({ sender: { phone } });
    await taken(service, another);
    expect(await logged(another)).toMatchObject({ renewal_id: null, renewal_ids: [] });
  });

  test('is about none of them once it is moved into another log', async () => {
    await service.put(staff, `${path}-other`, { name: 'Bea Demo' });
    const letter = await sent({ renewal_id: first, other_renewal_ids: others });
    const reply = mail({ token: letter.replaceAll('-', '') });
    await taken(service, reply);
    const to = { customer_id: `C-${tests}-other` };
    const { body } = await service.post<Communication>(staff, `/ops/communications/${reply.item_id}/move`, to);
    expect(body).toMatchObject({ renewal_id: null, renewal_ids: [] });
  });
});

test('the reply token ties what names no message, and gives its renewal', async () => {
  const renewal_id = uuidv7();
  const alert = await sent({ renewal_id });
  const reply = mail({ token: alert.replaceAll('-', '') });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: alert, renewal_id });
  const told = (await service.events()).filter(({ data }) => data.communication_id === reply.item_id);
  expect(told.map(({ data }) => data.renewal_id)).toEqual([renewal_id, renewal_id]);
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${path}/timeline`);
  expect(body.data).toMatchObject([{ data: { renewal_id } }]);
});

test("a token or reference of another customer's message ties nothing, and decides nothing", async () => {
  const other = `/ops/customers/other-${tests}`;
  await service.put(staff, other, { name: 'Bob Demo' });
  const theirs = await sent({ to: other, renewal_id: uuidv7(), name: '<theirs@example.com>' });
  const reply = mail({ external_ids: ['<theirs@example.com>'], token: theirs.replaceAll('-', '') });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: null, renewal_id: null });
});

test('a message on another channel is not what is answered', async () => {
  await sent({ type: 'SMS', name: 'same-id', renewal_id: uuidv7() });
  const reply = mail({ external_ids: ['same-id'] });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: null, renewal_id: null });
});

test.each<[string, Sent[], boolean]>([
  ['the only alert of the last 30 days', [{}], true],
  ['the only renewal, however many alerts it had', [{}, { occurred_at: '2026-02-25T00:00:00Z' }], true],
  ['none of several renewals', [{}, { renewal_id: uuidv7() }], false],
  ['none on another channel', [{ type: 'SMS' }], false],
  ['none that is older', [{ occurred_at: '2026-01-30T00:00:00Z' }], false],
  ['none that failed', [{ status: 'FAILED' }], false],
  ['none that was stopped', [{ status: 'CANCELLED' }], false],
  ['none that was sent after', [{ occurred_at: '2026-03-01T13:00:00Z' }], false],
  ['none that waits for the morning', [{ status: 'QUEUED', send_after: '2026-03-01T13:00:00Z' }], false],
  ['none that had waited for the morning by then', [{ send_after: '2026-03-01T13:00:00Z' }], false],
  ['one that waited for a morning before', [{ send_after: '2026-03-01T08:00:00Z' }], true],
  ['one that fell due, before we hear that it was sent', [{ status: 'QUEUED' }], true],
  ['one that may have been sent', [{ status: 'UNCERTAIN' }], true],
  ['one that left by a clock a little ahead', [{ occurred_at: '2026-03-01T12:00:30Z' }], true],
  [
    'the one that was sent, though another waits',
    [{}, { renewal_id: uuidv7(), status: 'QUEUED', send_after: '2026-03-01T13:00:00Z' }],
    true,
  ],
])('a message that names nothing belongs to %s', async (_, alerts, belongs) => {
  const renewal_id = uuidv7();
  for (const alert of alerts) await sent({ type: 'MESSAGING_APP', renewal_id, ...alert });
  const message = said({ sender: { phone } });
  await taken(service, message);
  expect(await logged(message)).toMatchObject({ in_reply_to: null, renewal_id: belongs ? renewal_id : null });
});

test('a message brought late belongs to no alert that left after it was written', async () => {
  await sent({ type: 'MESSAGING_APP', renewal_id: uuidv7(), occurred_at: '2026-03-01T13:00:00Z' });
  const message = said({ sender: { phone }, received_at: '2026-03-01T14:00:00Z' });
  await taken(service, message);
  expect(await logged(message)).toMatchObject({ renewal_id: null });
});

const delivered = (communication_id: string, provider_message_id: string, at = '2026-03-01T12:00:00Z', more = {}) => {
  const data = {
    customer_id: `C-${tests}`,
    occurred_at: at,
    communication_id,
    attempt: 1,
    attempt_id: uuidv7(),
    status: 'SENT',
    provider: 'cloud-api',
    provider_message_id,
    failure: null,
    ...more,
  };
  const head = { specversion: '1.0', id: uuidv7(), source: 'notifier', subject: data.customer_id, time: at } as const;
  return { event: { ...head, type: 'delivery.updated', data } };
};

test('a reply and a reaction that come before we know how the provider calls our message are tied when we do', async () => {
  const renewal_id = uuidv7();
  const alert = await sent({ type: 'MESSAGING_APP', renewal_id, status: 'QUEUED' });
  await sent({ type: 'MESSAGING_APP', renewal_id: uuidv7() });
  const reply = said({ sender: { phone }, answers: { external_ids: [`wamid-${tests}`] } });
  const reaction = said({ sender: { phone }, kind: 'reaction', target_external_id: `wamid-${tests}`, emoji: '👍' });
  await taken(service, reply, reaction);
  expect(await logged(reply)).toMatchObject({ in_reply_to: null, renewal_id: null });
  await service.forgetEvents();
  await service.bus.publish([delivered(alert, `wamid-${tests}`)]);
  await eventually(async () => expect(await logged(reply)).toMatchObject({ in_reply_to: alert, renewal_id }));
  expect(await logged({ item_id: alert })).toMatchObject({ reactions: [{ emoji: '👍', from: phone }] });
  const amended = (await service.events()).filter(({ data }) => data.change === 'amended');
  expect(amended.map(({ data }) => data.communication_id).sort()).toEqual([alert, reply.item_id].sort());
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${path}/timeline`);
  expect(body.data).toMatchObject([{ data: { communication_id: reply.item_id, renewal_id } }]);
});

/** The record as it stands once this was heard of its sending. */
async function heard(id: string, ...news: ReturnType<typeof delivered>[]): Promise<void> {
  await service.bus.publish(news);
  const events = news.map(({ event }) => event.id);
  await eventually(async () => expect(await service.db('inbox').whereIn('event_id', events)).toHaveLength(news.length));
  expect(await logged({ item_id: id })).toMatchObject({ status: 'SENT' });
}

test.each<[string, [at: string, status: string][], boolean]>([
  ['to none that left later than it fell due', [['2026-03-01T13:00:00Z', 'SENT']], false],
  [
    'to one that may have left then, whenever that was settled',
    [
      ['2026-03-01T13:00:00Z', 'UNCERTAIN'],
      ['2026-03-01T14:00:00Z', 'SENT'],
    ],
    true,
  ],
])('a message that names nothing belongs %s', async (_, news, belongs) => {
  const renewal_id = uuidv7();
  const alert = await sent({ type: 'MESSAGING_APP', renewal_id, status: 'QUEUED' });
  await heard(alert, ...news.map(([at, status]) => delivered(alert, `wamid-${tests}`, at, { status })));
  const message = said({ sender: { phone } });
  await taken(service, message);
  expect(await logged(message)).toMatchObject({ renewal_id: belongs ? renewal_id : null });
});

test('an answer to a message about no renewal belongs to none, whichever alert there is', async () => {
  await sent({ renewal_id: uuidv7() });
  const other = await sent({ name: '<other@example.com>' });
  const reply = mail({ external_ids: ['<other@example.com>'] });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: other, renewal_id: null });
  const record = { type: 'EMAIL', direction: 'INBOUND', body: 'Thank you', in_reply_to: other };
  const { body } = await service.post<Communication>(staff, `${path}/communications`, record);
  expect(body).toMatchObject({ in_reply_to: other, renewal_id: null });
});

test('nor does one that came before we know how the provider calls what it answers', async () => {
  const renewal_id = uuidv7();
  await sent({ type: 'MESSAGING_APP', renewal_id });
  const other = await sent({ type: 'MESSAGING_APP', status: 'QUEUED' });
  const reply = said({ sender: { phone }, answers: { external_ids: [`wamid-${tests}`] } });
  await taken(service, reply);
  expect(await logged(reply)).toMatchObject({ in_reply_to: null, renewal_id });
  await service.forgetEvents();
  await heard(other, delivered(other, `wamid-${tests}`));
  expect(await logged(reply)).toMatchObject({ in_reply_to: other, renewal_id: null });
  const told = (await service.events()).filter(({ data }) => data.communication_id === reply.item_id);
  expect(told.map(({ data }) => data)).toEqual([
    expect.objectContaining({ change: 'amended', in_reply_to: other, renewal_id: null }),
  ]);
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${path}/timeline`);
  expect(body.data).toMatchObject([{ data: { renewal_id: null } }]);
});

test('a message that is refiled is tied in the log it comes to, and its line with it', async () => {
  const renewal_id = uuidv7();
  const other = `/ops/customers/moved-to-${tests}`;
  await service.put(staff, other, { name: 'Bob Demo' });
  await sent({ type: 'MESSAGING_APP', renewal_id: uuidv7() });
  await sent({ type: 'MESSAGING_APP', renewal_id, to: other });
  const message = said({ sender: { phone } });
  await taken(service, message);
  const moved = await service.post(staff, `/ops/communications/${message.item_id}/move`, {
    customer_id: `moved-to-${tests}`,
  });
  expect(moved).toMatchObject({ status: 200, body: { renewal_id } });
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${other}/timeline`);
  expect(body.data).toMatchObject([{ data: { renewal_id } }]);
});

test('a reply that somebody wrote down belongs to the only alert as well, and its event says so', async () => {
  const renewal_id = uuidv7();
  await sent({ type: 'SMS', renewal_id, occurred_at: new Date(Date.now() - 86_400_000).toISOString() });
  await service.forgetEvents();
  const record = { type: 'SMS', direction: 'INBOUND', body: 'I have it' };
  const { body } = await service.post<Communication>(staff, `${path}/communications`, record);
  expect(body).toMatchObject({ renewal_id, in_reply_to: null });
  expect((await service.events()).map(({ data }) => data.renewal_id)).toEqual([renewal_id, renewal_id]);
});
