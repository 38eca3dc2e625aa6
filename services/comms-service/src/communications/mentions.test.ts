import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Communication } from '@ops/contracts/resources/communication';
import { listen } from '@ops/service-kit/http-server';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let notifier: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  notifier = await listen(
    (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [] })),
    { host: '127.0.0.1', port: 0 },
  );
  service = await startTestService({ NOTIFIER_URL: `http://127.0.0.1:${notifier.port}` });
  await service.db('agents').insert({ id: 'bob', name: 'Bob', version: 1 });
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo' });
});
afterAll(async () => {
  await service.close();
  await notifier.close();
});
beforeEach(() => service.forgetEvents());

const notes = '/ops/customers/C-1/notes';
const write = (mentions: string[], more: object = {}) =>
  service.post<Communication & Pick<Problem, 'errors'>>(staff, notes, { body: '@Bob, please call', mentions, ...more });
const told = async () => (await service.events()).filter(({ type }) => type === 'note.mentioned');

test('a note keeps whom it names, once each and never its writer, and says so without its words', async () => {
  const { status, body } = await write(['bob', staff.sub, 'bob']);
  expect({ status, mentions: body.mentions }).toEqual({ status: 201, mentions: ['bob'] });
  const { body: log } = await service.get<Page<Communication>>(admin, '/ops/customers/C-1/communications');
  expect(log.data[0]).toMatchObject({ id: body.id, mentions: ['bob'] });
  const { id: communication_id, created_at: occurred_at } = body;
  expect((await told()).map(({ subject, data }) => ({ subject, data }))).toEqual([
    {
      subject: 'C-1',
      data: { customer_id: 'C-1', occurred_at, communication_id, mentioned_by: staff.sub, agents: ['bob'] },
    },
  ]);
});

test('the same note sent again under its key tells nobody twice', async () => {
  const again = () =>
    service.post<Communication>(staff, notes, { body: 'x', mentions: ['bob'] }, { 'idempotency-key': 'k' });
  expect((await again()).body.id).toBe((await again()).body.id);
  expect(await told()).toHaveLength(1);
});

test('who names nobody but themselves tells nobody', async () => {
  expect((await write([staff.sub])).body.mentions).toEqual([]);
  expect((await write([])).body.mentions).toEqual([]);
  expect(await told()).toEqual([]);
});

test('an unknown agent is refused by their place, and nothing is kept', async () => {
  const before = await service.db('communications');
  const { status, body } = await write(['bob', 'ghost']);
  expect([status, body.errors]).toEqual([422, [{ path: 'mentions.1', message: 'is not a known agent' }]]);
  expect(await service.db('communications')).toHaveLength(before.length);
});

test('a message to the customer names nobody', async () => {
  const message = { type: 'SMS', direction: 'INBOUND', body: 'x', mentions: ['bob'] };
  const { status, body } = await service.post<Problem>(staff, '/ops/customers/C-1/communications', message);
  expect([status, body.errors?.[0]?.path]).toEqual([422, 'mentions']);
});
