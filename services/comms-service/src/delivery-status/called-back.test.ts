import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import { customer, staff, startTestService, type TestService } from '../../test/service.ts';

type Answer = Communication & Pick<Problem, 'errors' | 'detail'>;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  const phones = ['+447700900401'];
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'], phones });
});
afterAll(() => service.close());
beforeEach(() => service.forgetEvents());

const log = '/ops/customers/C-1/communications';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const soon = inHours(1);

const write = (change: object = {}) =>
  service.post<Answer>(staff, log, { type: 'EMAIL', direction: 'OUTBOUND', body: 'Hello', ...change });
const scheduled = async (change: object = {}) => (await write({ send_after: soon, ...change })).body;
const at = ({ id }: Communication) => `/ops/communications/${id}`;
const patch = (one: Communication, change: object) => service.patch<Answer>(staff, at(one), change);
const cancel = (one: Communication) => service.post<Answer>(staff, `${at(one)}/cancel`);
const settle = (one: Communication, note = 'by phone') => service.post<Answer>(staff, `${at(one)}/settle`, { note });
const historyOf = async (one: Communication) =>
  (await service.get<Page<HistoryEntry>>(staff, `${at(one)}/history`)).body.data;
const failed = async () => (await service.get<Page<Communication>>(staff, '/ops/communications/failed')).body.data;
const mayLeave = async (one: Communication, attempt = 1) => {
  const path = `/internal/communications/${one.id}/send-permission?attempt=${attempt}`;
  return (await (await service.asked('notifier', path)).json()) as SendPermission;
};

test('what is to leave later says when, to the log and to who sends it; a time that is over means at once', async () => {
  const later = await scheduled();
  expect(later).toMatchObject({ status: 'QUEUED', attempt: 1 });
  expect(Date.parse(later.send_after ?? '')).toBe(Date.parse(soon));
  const [queued] = await service.events();
  expect(queued).toMatchObject({ type: 'communication.queued', data: { send_after: expect.any(String) } });
  expect((await write({ send_after: inHours(-1) })).body.send_after).toBeNull();
});

test.each([
  [{ send_after: inHours(24 * 400) }, 'send_after'],
  [{ send_after: 'tomorrow' }, 'send_after'],
  [{ send_after: soon, direction: 'INBOUND' }, 'send_after'],
])('%j is refused by its field', async (change, path) => {
  const { status, body } = await write(change);
  expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path });
});

test('changed before it left, it goes out with the new words and never with the old ones', async () => {
  const one = await scheduled({ subject: 'Old' });
  await service.forgetEvents();
  const { status, body } = await patch(one, { body: 'New words', subject: 'New', send_after: null });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { body: 'New words', subject: 'New', send_after: null, status: 'QUEUED', attempt: 2 },
  });
  const [queued, changed, ...others] = await service.events();
  expect(others).toEqual([]);
  expect(queued?.data).toMatchObject({ attempt: 2, body: 'New words', subject: 'New', send_after: null });
  expect(changed?.data).toMatchObject({ change: 'status', status: 'QUEUED' });
  expect(await mayLeave(one, 1)).toMatchObject({ may_send: false, reason: { code: 'cancelled' } });
  expect(await mayLeave(one, 2)).toMatchObject({ may_send: true });
  const [entry] = await historyOf(one);
  expect(entry).toMatchObject({ change: 'changed', actor: staff.sub, details: { attempt: 1 } });
  expect(JSON.stringify(entry)).not.toContain('New');
});

test.each([
  [{}, '$'],
  [{ body: '' }, 'body'],
  [{ send_after: inHours(24 * 400) }, 'send_after'],
])('a change to %j is refused by its field', async (change, path) => {
  const one = await scheduled();
  const { status, body } = await patch(one, change);
  expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path });
  const sms = await scheduled({ type: 'SMS' });
  expect(await patch(sms, { subject: 'New' })).toMatchObject({ status: 422 });
});

test('called back, twice as once, it does not leave, and no customer ever reads it', async () => {
  const one = await scheduled({ body: 'Not meant' });
  const seen = async () => JSON.stringify((await service.get(customer('C-1'), `${log}?limit=200`)).body);
  expect(await seen()).not.toContain('Not meant');
  await service.forgetEvents();
  for (const { status, body } of [await cancel(one), await cancel(one)])
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED', failure: { code: 'called_back' } },
    });
  expect((await service.events()).map(({ data }) => [data.change, data.status])).toEqual([['status', 'CANCELLED']]);
  expect(await mayLeave(one)).toMatchObject({ may_send: false, reason: { code: 'cancelled' } });
  expect((await historyOf(one)).map(({ change, actor }) => [change, actor])).toEqual([['called_back', staff.sub]]);
  expect(await seen()).not.toContain('Not meant');
});

test('once it may leave it is neither changed nor called back, and who asks hears why', async () => {
  const one = await scheduled();
  expect(await mayLeave(one)).toMatchObject({ may_send: true });
  for (const answer of [await patch(one, { body: 'Other' }), await cancel(one)])
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('on its way to its provider') },
    });
  await service.db('communications').where({ id: one.id }).update({ status: 'SENT' });
  expect((await cancel(one)).body.detail).toMatch(/^It has left, or is over/);
  const inbound = (await write({ direction: 'INBOUND' })).body;
  expect(await cancel(inbound)).toMatchObject({ status: 409 });
});

test('the message of an alert is stopped at its renewal', async () => {
  const one = await scheduled();
  await service
    .db('communications')
    .where({ id: one.id })
    .update({ automated: true, author: null, renewal_id: one.id });
  expect((await cancel(one)).body.detail).toMatch(/hold or end its renewal/);
  await service.db('communications').where({ id: one.id }).update({ author: 'a-program' });
  expect((await cancel(one)).status).toBe(200);
});

test('sent again by whichever version, what was settled may fail anew', async () => {
  const one = await scheduled();
  const of = service.db('communications').where({ id: one.id });
  await of.clone().update({ status: 'FAILED', settled: JSON.stringify({ at: one.occurred_at, by: 'ada', note: '' }) });
  expect(await of.clone().update({ status: 'CANCELLED', attempt: 2 }, 'settled')).toEqual([{ settled: null }]);
});

test.each([
  ['called back', cancel],
  ['changed', (one: Communication) => patch(one, { body: 'Other' })],
])('of leaving and being %s, one after the other or at the same moment, one happens', async (_, act) => {
  const leavesFirst = async (one: Communication) => [await mayLeave(one), await act(one)] as const;
  const actsFirst = async (one: Communication) => {
    const acted = await act(one);
    return [await mayLeave(one), acted] as const;
  };
  const atOnce = (one: Communication) => Promise.all([mayLeave(one), act(one)]);
  const atOnceToo = async (one: Communication) => (await Promise.all([act(one), mayLeave(one)])).toReversed();
  const ways = [leavesFirst, actsFirst, ...Array(10).fill(atOnce), ...Array(10).fill(atOnceToo)];
  const outcomes: boolean[] = [];
  for (const way of ways) {
    const [left, acted] = await way(await scheduled());
    expect([left.may_send, acted.status]).toEqual(left.may_send ? [true, 409] : [false, 200]);
    outcomes.push(left.may_send);
  }
  expect(outcomes.slice(0, 2)).toEqual([true, false]);
});

test('what failed and was settled otherwise stays failed and leaves the list; sent again it is as any other', async () => {
  const one = (await write()).body;
  expect(await settle(one)).toMatchObject({ status: 409 });
  await service.db('communications').where({ id: one.id }).update({ status: 'FAILED' });
  expect((await failed()).map(({ id }) => id)).toEqual([one.id]);
  expect(await settle(one, '')).toMatchObject({ status: 422 });
  for (const { status, body } of [await settle(one), await settle(one, 'again')])
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'FAILED', settled: { by: staff.sub, note: 'by phone' } },
    });
  expect(await failed()).toEqual([]);
  expect((await historyOf(one)).filter(({ change }) => change === 'settled')).toHaveLength(1);
  const { body } = await service.post<Communication>(staff, `${at(one)}/retry`);
  expect(body).toMatchObject({ status: 'QUEUED', settled: null });
});
