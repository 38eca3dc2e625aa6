import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Proposal, SavedRetention } from '@ops/contracts/resources/proposal';
import type { RetentionPolicy } from '@ops/contracts/resources/retention';
import type { Actor } from '@ops/contracts/roles';
import { type OtherServices, startOtherServices } from '../../test/other-services.ts';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';
import { usualRetention } from '../../test/usual-retention.ts';
import { shorten } from '../retention/retention-service.ts';
import { takeEffect } from './proposal-service.ts';

let service: TestService;
let others: OtherServices;
const otherAdmin: Actor = { sub: 'chief-2', role: 'admin' };

beforeAll(async () => {
  others = await startOtherServices();
  service = await startTestService({ ...others.settings, RETENTION_CRON: 'off' });
});
afterAll(async () => {
  await service.close();
  await others.close();
});
beforeEach(async () => {
  others.reset();
  await usualRetention(service.db);
});

const put = (keep_days: object, by = admin) =>
  service.put<SavedRetention & Problem>(by, '/ops/retention', { keep_days });
const kept = async () => (await service.get<RetentionPolicy>(admin, '/ops/retention')).body.keep_days;
const open = async () => (await service.get<Page<Proposal>>(admin, '/ops/proposals')).body.data;
const act = (id: string | undefined, deed: 'confirm' | 'call-off', by: Actor) =>
  service.post<Proposal & Pick<Problem, 'code'>>(by, `/ops/proposals/${id}/${deed}`);
const proposed = async (keep_days: object = { SMS: 400 }) => (await put(keep_days)).body.proposal?.id as string;

const hoursOn = (hours: number) => () => new Date(Date.now() + hours * 3_600_000);
const nothing = async () => undefined;
const timePasses = (hours: number) => {
  const now = hoursOn(hours);
  return takeEffect(now, { RETENTION: (trx, proposal) => shorten(now, trx, proposal), ERASURE: nothing }, service.db);
};
const history = async () =>
  (await service.get<Page<AuditEntry>>(admin, '/ops/retention/history')).body.data.map(({ actor, action, changes }) => [
    actor,
    action,
    changes?.map(({ field }) => field),
  ]);

test('longer is so at once; shorter is proposed, and nothing is kept for less long until it took effect', async () => {
  const { status, body } = await put({ EMAIL: 4000, SMS: 400 });
  expect([status, body.keep_days]).toEqual([200, await kept()]);
  expect(body.keep_days).toMatchObject({ EMAIL: 4000, SMS: 2557 });
  expect(body.proposal).toMatchObject({
    status: 'PROPOSED',
    keep_days: { SMS: { from: 2557, to: 400 } },
    proposed_by: 'chief-1',
    effective_at: null,
  });
  expect(await open()).toEqual([body.proposal]);
  await timePasses(1000);
  expect(await kept()).toMatchObject({ SMS: 2557 });
});

test('whoever proposed it does not confirm it; when another one did, it takes effect a day later, and a run goes by it', async () => {
  const id = await proposed();
  const own = await act(id, 'confirm', admin);
  expect([own.status, own.body.code]).toEqual([409, 'same_person']);
  const confirmed = await act(id, 'confirm', otherAdmin);
  expect(confirmed.body).toMatchObject({ status: 'CONFIRMED', confirmed_by: 'chief-2' });
  expect((await act(id, 'confirm', admin)).body).toEqual(confirmed.body);
  const dayOn = Date.parse(confirmed.body.effective_at as string) - Date.now();
  expect(Math.round(dayOn / 3_600_000)).toBe(24);

  await timePasses(23);
  await service.post(admin, '/ops/retention/runs');
  const sms = () => others.orders.map(({ before }) => Math.round((Date.now() - Date.parse(before.SMS)) / 86_400_000));
  expect(new Set(sms())).toEqual(new Set([2557]));

  others.reset();
  await Promise.all([timePasses(25), timePasses(25)]);
  expect((await service.get<RetentionPolicy>(admin, '/ops/retention')).body).toMatchObject({
    keep_days: { SMS: 400 },
    version: 2,
    updated_by: 'chief-2',
  });
  await service.post(admin, '/ops/retention/runs');
  expect(new Set(sms())).toEqual(new Set([400]));
  expect(await open()).toEqual([]);
  expect((await act(id, 'call-off', admin)).status).toBe(409);
  expect((await act(id, 'confirm', otherAdmin)).status).toBe(409);
  expect((await history()).slice(0, 3)).toEqual([
    ['chief-2', 'confirmProposal', ['SMS']],
    ['chief-2', 'confirmProposal', ['proposal']],
    ['chief-1', 'putRetention', ['proposal', 'proposed_days']],
  ]);
});

test.each([
  ['proposed', () => Promise.resolve()],
  ['confirmed', (id: string) => act(id, 'confirm', otherAdmin)],
])('what was %s is called off by any admin, is over, and never takes effect', async (_, before) => {
  const id = await proposed();
  await before(id);
  const off = await act(id, 'call-off', otherAdmin);
  expect(off.body).toMatchObject({ status: 'CALLED_OFF', ended_by: 'chief-2' });
  expect((await act(id, 'call-off', admin)).body).toEqual(off.body);
  expect((await act(id, 'confirm', otherAdmin)).status).toBe(409);
  await timePasses(1000);
  expect(await kept()).toMatchObject({ SMS: 2557 });
  expect(await open()).toEqual([]);
  expect((await history())[0]).toEqual(['chief-2', 'callOffProposal', ['proposal']]);
});

test('the same proposed again is the same; something else waits until that is called off, and so does all that came with it', async () => {
  const id = await proposed();
  expect((await put({ SMS: 400 }, otherAdmin)).body.proposal).toMatchObject({ id, proposed_by: 'chief-1' });
  expect((await put({ SMS: 300, EMAIL: 4000 })).status).toBe(409);
  expect(await kept()).toMatchObject({ SMS: 2557, EMAIL: 2557 });
  await act(id, 'call-off', admin);
  expect((await put({ SMS: 300 })).body.proposal).toMatchObject({ keep_days: { SMS: { to: 300 } } });
});

test('nobody but an admin sees or does any of it; of an unknown one nothing is known', async () => {
  const id = await proposed();
  expect((await service.get(staff, '/ops/proposals')).status).toBe(403);
  expect((await act(id, 'confirm', staff)).status).toBe(403);
  expect((await act(id, 'call-off', staff)).status).toBe(403);
  expect((await act('01890000-0000-7000-8000-000000000000', 'confirm', otherAdmin)).status).toBe(404);
  expect((await service.get(admin, '/ops/proposals?cursor=x')).status).toBe(422);
});

test('in a firm with one admin nobody confirms, and the day is left', async () => {
  const alone = await startTestService({ RETENTION_CRON: 'off', OPS_SECOND_PERSON: 'off' });
  const { body } = await alone.put<SavedRetention>(admin, '/ops/retention', { keep_days: { SMS: 400 } });
  expect(body).toMatchObject({
    keep_days: { SMS: 2557 },
    proposal: { status: 'CONFIRMED', confirmed_by: null, effective_at: expect.any(String) },
  });
  const shortened = (trx: Parameters<typeof shorten>[1], one: Proposal) => shorten(hoursOn(25), trx, one);
  const effects = { RETENTION: shortened, ERASURE: nothing };
  await takeEffect(hoursOn(23), effects, alone.db);
  const now = async () => (await alone.get<RetentionPolicy>(admin, '/ops/retention')).body.keep_days.SMS;
  expect(await now()).toBe(2557);
  await takeEffect(hoursOn(25), effects, alone.db);
  expect(await now()).toBe(400);
  await alone.close();
});

test('what nobody confirmed for a week is over, and said for another week', async () => {
  const id = await proposed();
  await timePasses(6 * 24);
  expect((await open()).map(({ status }) => status)).toEqual(['PROPOSED']);
  await timePasses(7 * 24);
  expect(await open()).toMatchObject([{ id, status: 'EXPIRED', effective_at: null }]);
  expect((await act(id, 'confirm', otherAdmin)).status).toBe(409);
  expect((await act(id, 'call-off', otherAdmin)).status).toBe(409);
  const again = await put({ SMS: 400 });
  expect(again.body.proposal).toMatchObject({ status: 'PROPOSED' });
  await service
    .db('proposals')
    .where({ id })
    .update({ ended_at: hoursOn(-169)() });
  expect((await open()).map((one) => one.id)).toEqual([again.body.proposal?.id]);
});

test('what cannot be so any more when its day has passed is declined, says why, and leaves an entry', async () => {
  const id = await proposed();
  await act(id, 'confirm', otherAdmin);
  await takeEffect(hoursOn(25), { RETENTION: async () => ({ declined: 'it rains' }), ERASURE: nothing }, service.db);
  expect(await kept()).toMatchObject({ SMS: 2557 });
  expect(await open()).toMatchObject([{ id, status: 'DECLINED', reason: 'it rains', ended_by: null }]);
  expect((await history()).at(0)).toEqual(['chief-2', 'confirmProposal', ['proposal', 'reason']]);
  await timePasses(1000);
  expect(await kept()).toMatchObject({ SMS: 2557 });
});
