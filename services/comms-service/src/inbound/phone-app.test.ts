import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let tests = 0;
let path = '';
let phone = '';

beforeEach(async () => {
  tests += 1;
  path = `/ops/customers/C-${tests}`;
  phone = `+4477009006${String(tests).padStart(2, '0')}`;
  await service.put(staff, path, { name: 'Ada Demo', phones: [phone] });
  await service.forgetEvents();
});

type Said = Parameters<typeof said>[0];
const written = (rest: Said = {}) => said({ direction: 'OUTBOUND', ...rest, sender: { phone, ...rest?.sender } });
const past = (rest: Said = {}) => {
  const inbound = rest?.direction !== 'OUTBOUND';
  return said({ imported: true, automatic: inbound, ...rest, sender: { phone, ...rest?.sender } });
};
const log = async () =>
  (await service.get<Page<Communication> & { unread_count: number }>(staff, `${path}/communications?limit=200`)).body;
const unmatched = async () =>
  (await service.get<Page<Unmatched>>(staff, '/ops/unmatched?limit=200')).body.data.filter(
    ({ sender }) => sender.phone === '+447700900999',
  );
const types = async () => (await service.events()).map(({ type }) => type);

test('what staff wrote on the phone is in the log as sent, once, and is sent by nobody', async () => {
  const message = written({ body: 'Come on Thursday', external_id: `echo-${tests}` });
  await taken(service, message);
  await taken(service, written({ external_id: message.external_id }), past({ external_id: message.external_id }));
  const { data, unread_count } = await log();
  expect(unread_count).toBe(0);
  expect(data).toMatchObject([
    {
      direction: 'OUTBOUND',
      status: 'SENT',
      body: 'Come on Thursday',
      author: null,
      automated: false,
      phone_app: true,
      imported: false,
      unread: false,
      attempt: 1,
      provider_message_id: message.external_id,
    },
  ]);
  expect(await types()).toEqual(['communication.changed', 'communication.echoed']);
});

test('what was said in a group, or before we listened, opens nobody the window for free text', async () => {
  const occurred_at = new Date().toISOString();
  const open = async () => (await service.get<CustomerDetail>(staff, path)).body.window_open_until !== null;
  await taken(service, past({ occurred_at }), said({ sender: { phone }, occurred_at, group: 'G-1' }));
  expect(await open()).toBe(false);
  await taken(service, said({ sender: { phone }, occurred_at }));
  expect(await open()).toBe(true);
});

test('an answer written on the phone belongs to what it answers; what answers nothing is about no renewal', async () => {
  const renewal_id = '0198c0de-0000-7000-8000-0000000000aa';
  const question = said({ external_id: `question-${tests}`, sender: { phone } });
  await taken(service, question);
  await service.db('communications').where({ id: question.item_id }).update({ renewal_id });
  const answer = written({ answers: { external_ids: [question.external_id] }, body: 'On Thursday' });
  const alert = { direction: 'OUTBOUND', status: 'SENT', renewal_id, type: 'MESSAGING_APP', customer_id: `C-${tests}` };
  await service.db('communications').insert({
    ...alert,
    id: '0198c0de-0000-7000-8000-0000000000ab',
    body: 'Alert',
    unread: false,
    occurred_at: '2026-02-28T12:00:00Z',
    created_at: '2026-02-28T12:00:00Z',
  });
  await taken(service, answer, written({ body: 'Good morning' }));
  const { data } = await log();
  const of = (body: string) => data.find((one) => one.body === body);
  expect(of('On Thursday')).toMatchObject({ in_reply_to: question.item_id, renewal_id });
  expect(of('Good morning')).toMatchObject({ in_reply_to: null, renewal_id: null });
});

test('a word that opts out does so only when the customer wrote it', async () => {
  await taken(service, written({ body: 'STOP' }));
  expect((await service.get(staff, path)).body).toMatchObject({ opted_out: [] });
});

test('an echo of a message of ours is no second one', async () => {
  const { body } = await service.post<Communication>(staff, `${path}/communications`, {
    type: 'MESSAGING_APP',
    direction: 'OUTBOUND',
    body: 'Hello',
  });
  await service
    .db('communications')
    .where({ id: body.id })
    .update({ provider_message_id: `ours-${tests}` });
  await taken(service, written({ external_id: `ours-${tests}` }));
  expect((await log()).data).toMatchObject([{ id: body.id, author: expect.any(String), phone_app: false }]);
});

test('what is written to somebody unknown waits, and comes into their log as sent when they are known', async () => {
  const stranger = '+447700900999';
  await taken(service, written({ sender: { phone: stranger }, body: 'Who are you?' }));
  const [waiting] = await unmatched();
  expect(waiting).toMatchObject({ direction: 'OUTBOUND', reason: 'unknown', body: 'Who are you?' });
  await service.forgetEvents();
  await service.post(staff, `/ops/unmatched/${waiting?.id}/link`, { customer_id: `C-${tests}` });
  expect((await log()).data).toMatchObject([{ direction: 'OUTBOUND', status: 'SENT', unread: false }]);
  expect(await types()).toEqual(expect.arrayContaining(['communication.echoed']));
  expect(await types()).not.toContain('COMMUNICATION_RECEIVED');
  await service.post(staff, `/ops/unmatched/${waiting?.id}/unlink`);
  expect(await unmatched()).toHaveLength(1);
  expect((await log()).data).toEqual([]);
});

test('the history is in the log in its own time, both ways; nobody has to read or answer it', async () => {
  await taken(
    service,
    past({ occurred_at: '2025-09-01T10:00:00Z', body: 'STOP' }),
    past({ direction: 'OUTBOUND', occurred_at: '2025-09-01T11:00:00Z', body: 'As you wish' }),
  );
  const { data, unread_count } = await log();
  expect(unread_count).toBe(0);
  expect(data).toMatchObject([
    { direction: 'OUTBOUND', imported: true, phone_app: true, occurred_at: '2025-09-01T11:00:00.000000Z' },
    { direction: 'INBOUND', imported: true, phone_app: false, automatic: true, status: 'RECEIVED' },
  ]);
  expect((await service.get(staff, path)).body).toMatchObject({ opted_out: [] });
  expect(await types()).not.toContain('COMMUNICATION_RECEIVED');
});

test('a file of the history takes the place of what announced it, whichever comes first', async () => {
  const parts = [
    {
      source: 'provider' as const,
      ref: 'M1',
      role: 'file' as const,
      name: 'pass.jpg',
      media_type: 'image/jpeg',
      size: null,
      content_id: null,
    },
  ];
  const announced = past({ external_id: `media-${tests}`, body: 'Sent a file that the phone has not handed over' });
  const handedOver = past({ external_id: `media-${tests}`, body: 'My passport', parts });
  await taken(service, announced);
  await taken(service, handedOver);
  await taken(service, past({ external_id: `media-${tests}`, body: announced.body }));
  const { data } = await log();
  expect(data).toMatchObject([{ body: 'My passport', attachments: [{ name: 'pass.jpg' }] }]);
});

test('staff edit and withdraw on the phone what they wrote there, and nothing the customer wrote', async () => {
  const ours = written({ external_id: `mine-${tests}` });
  const theirs = said({ external_id: `theirs-${tests}`, sender: { phone } });
  await taken(service, ours, theirs);
  const edit = (target_external_id: string) => ({ kind: 'edit' as const, target_external_id, body: 'Changed' });
  await taken(
    service,
    written(edit(ours.external_id)),
    written(edit(theirs.external_id)),
    said({ ...edit(ours.external_id), sender: { phone } }),
  );
  const { data } = await log();
  expect(data.find(({ id }) => id === ours.item_id)?.amendments).toMatchObject([{ body: 'Changed' }]);
  expect(data.find(({ id }) => id === theirs.item_id)?.amendments).toEqual([]);
});

test('a message that was passed on, or written in a group, says so', async () => {
  await taken(service, said({ sender: { phone }, forwarded: true, group: '120@g.us' }));
  expect((await log()).data).toMatchObject([{ forwarded: true, group: '120@g.us' }]);
});

type Batches = (copy: ReturnType<typeof said>, live: ReturnType<typeof said>) => ReturnType<typeof said>[][];
const orders: [string, Batches][] = [
  ['by itself first', (copy, live) => [[live], [copy]]],
  ['in the history first', (copy, live) => [[copy], [live]]],
  ['in both at once', (copy, live) => [[copy, live]]],
  ['in the history before and after it', (copy, live) => [[copy], [live], [copy]]],
  ['in the history first, as a file that is not there yet', (copy, live) => [[{ ...copy, body: 'A file' }], [live]]],
];
const ofNow = () => ({ external_id: `both-${tests}`, occurred_at: new Date(Date.now() - 60_000).toISOString() });

test.each(orders)('a message that comes %s is one, and the customer’s', async (_, batches) => {
  const live = said({ ...ofNow(), body: 'STOP', sender: { phone } });
  const copy = past({ ...ofNow(), occurred_at: '2026-03-01T09:00:00Z', body: 'STOP' });
  for (const batch of batches(copy, live)) await taken(service, ...batch);
  const { data, unread_count } = await log();
  expect(unread_count).toBe(1);
  expect(data).toMatchObject([
    { direction: 'INBOUND', body: 'STOP', imported: false, automatic: false, unread: true, status: 'RECEIVED' },
  ]);
  expect(Date.parse(data[0]?.occurred_at ?? '')).toBe(Date.parse(live.occurred_at));
  expect((await types()).filter((type) => type === 'COMMUNICATION_RECEIVED')).toHaveLength(1);
  const { body } = await service.get<CustomerDetail>(staff, path);
  expect(body).toMatchObject({ opted_out: ['MESSAGING_APP'], window_open_until: expect.any(String) });
  expect((await service.get<Page<object>>(staff, `${path}/timeline`)).body.data).toHaveLength(1);
});

test('two that came by themselves are two, though a provider gives both one name', async () => {
  const one = said({ ...ofNow(), body: 'The first', sender: { phone } });
  await taken(service, one, said({ ...ofNow(), body: 'The second', sender: { phone } }));
  await taken(
    service,
    past({ ...ofNow(), body: 'The first' }),
    said({ ...ofNow(), body: 'The third', sender: { phone } }),
  );
  const { data } = await log();
  expect(data.map(({ body }) => body).toSorted()).toEqual(['The first', 'The second', 'The third']);
});

test('one that the history brought keeps its file, and what it is about; the newest word of it says that a person wrote it', async () => {
  const parts = [
    {
      source: 'provider',
      ref: 'M1',
      role: 'file',
      name: 'pass.jpg',
      media_type: 'image/jpeg',
      size: 1,
      content_id: null,
    },
  ] as const;
  const question = written({ external_id: `asked-${tests}` });
  const answers = { external_ids: [question.external_id] };
  const renewal_id = '0198c0de-0000-7000-8000-0000000000ac';
  await taken(service, question);
  await service.db('communications').where({ id: question.item_id }).update({ renewal_id });
  await taken(service, past({ ...ofNow(), answers, parts: [...parts] }));
  await service.forgetEvents();
  await taken(service, said({ ...ofNow(), answers, parts: [...parts], sender: { phone } }));
  const [answer] = (await log()).data.filter(({ direction }) => direction === 'INBOUND');
  expect(answer).toMatchObject({ renewal_id, in_reply_to: question.item_id, attachments: [{ name: 'pass.jpg' }] });
  expect((await service.events()).filter(({ type }) => type === 'communication.changed')).toContainEqual(
    expect.objectContaining({
      data: expect.objectContaining({
        communication_id: answer?.id,
        change: 'created',
        automatic: false,
        renewal_id,
        in_reply_to: question.item_id,
      }),
    }),
  );
});

test('of somebody unknown it waits once, known by all that was said of them', async () => {
  const stranger = { phone: '+447700900998', user_id: `GB.${tests}` };
  await taken(
    service,
    past({ ...ofNow(), sender: { phone: null, address: stranger.user_id, user_id: stranger.user_id } }),
  );
  await taken(service, said({ ...ofNow(), sender: stranger }));
  const { data } = (await service.get<Page<Unmatched>>(staff, '/ops/unmatched?limit=200')).body;
  const waiting = data.filter(({ sender }) => sender.user_id === stranger.user_id);
  expect(waiting).toMatchObject([{ automatic: false, sender: { phone: stranger.phone } }]);
  await service.put(staff, path, { name: 'Ada Demo', phones: [phone, stranger.phone] });
  expect(await log()).toMatchObject({ unread_count: 1, data: [{ id: waiting[0]?.id }] });
});

test('what staff wrote on the phone is theirs, though the history told of it first, and as far as it came', async () => {
  const told = past({ ...ofNow(), direction: 'OUTBOUND' });
  await taken(service, told);
  await service.db('communications').where({ id: told.item_id }).update({ status: 'READ' });
  await service.forgetEvents();
  await taken(service, written(ofNow()));
  expect((await log()).data).toMatchObject([{ imported: false, phone_app: true, status: 'READ', unread: false }]);
  // A file of an earlier test may come in meanwhile.
  const changes = (await service.events()).filter(({ data }) => data.communication_id === told.item_id);
  expect(changes.filter(({ type }) => type === 'communication.changed')).toMatchObject([
    { data: { change: 'created', status: 'READ' } },
  ]);
});
