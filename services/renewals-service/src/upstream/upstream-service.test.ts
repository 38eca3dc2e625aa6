import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { automation, startTestService, type TestService } from '../../test/service.ts';
import { permitApproved, policyIssued, renewalsOf } from '../../test/upstream.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const tell = async (event: Envelope): Promise<UpstreamEventOutcome> =>
  (await service.post<UpstreamEventOutcome>(automation, '/ops/events', event)).body;

const time = (hour: number) => ({ time: `2026-03-01T${String(hour).padStart(2, '0')}:00:00Z` });

const told = async (event: Envelope): Promise<Renewal> => {
  const { renewal_id } = await tell(event);
  return (await renewalsOf(service)).find(({ id }) => id === renewal_id) as Renewal;
};

test('a newer event moves the date, an older one does not, and of one instant the same one counts in either order', async () => {
  const first = await told(policyIssued('P-1', inDays(service, 100), {}, time(5)));
  expect(await tell(policyIssued('P-1', inDays(service, 120), {}, time(4)))).toMatchObject({ outcome: 'ignored' });
  expect(await tell(policyIssued('P-1', inDays(service, 130), {}, time(6)))).toMatchObject({
    outcome: 'moved',
    renewal_id: first.id,
  });
  expect(await tell(policyIssued('P-1', inDays(service, 130), {}, time(7)))).toMatchObject({ outcome: 'unchanged' });
  const [late, early] = ['b', 'a'].map((id, n) =>
    policyIssued('P-1', inDays(service, 140 + n), {}, { id, ...time(8) }),
  );
  expect(await tell(late as Envelope)).toMatchObject({ outcome: 'moved' });
  expect(await tell(early as Envelope)).toMatchObject({ outcome: 'ignored' });
  expect(await renewalsOf(service)).toMatchObject([
    { id: first.id, due_date: inDays(service, 140), status: 'UPCOMING' },
  ]);
});

test('instants are compared to the last digit, in whatever time zone they are written', async () => {
  await tell(policyIssued('P-1', '2027-01-01', {}, { id: 'instant-z', time: '2026-03-01T06:00:00.000001Z' }));
  const newer = policyIssued('P-1', '2027-02-01', {}, { id: 'instant-a', time: '2026-03-02T05:59:00.000002+23:59' });
  expect(await tell(newer)).toMatchObject({ outcome: 'moved' });
});

test('a time far ahead counts as one of soon after it came, and holds no later event back', async () => {
  await tell(policyIssued('P-1', '2027-01-01', {}, { time: '2206-03-02T12:00:00Z' }));
  const soon = { time: '2026-03-02T12:04:59Z' };
  expect(await tell(policyIssued('P-1', '2027-02-01', {}, soon))).toMatchObject({ outcome: 'ignored' });
  service.clock.set('2026-03-02T12:06:00Z');
  const later = { time: '2026-03-02T12:05:30Z' };
  expect(await tell(policyIssued('P-1', '2027-03-01', {}, later))).toMatchObject({ outcome: 'moved' });
});

test('rungs the new date has reached and that fired before are carried over, and overdue is taken back', async () => {
  const renewal = await told(policyIssued('P-1', inDays(service, -1), {}, time(1)));
  await alerted(service, renewal, ['90', '60', '30', '14', '7', 'OVERDUE']);
  await tell(policyIssued('P-1', inDays(service, 20), {}, time(2)));
  expect(await at(service).row(renewal.id)).toMatchObject({ status: 'UPCOMING', next_alert_on: inDays(service, 6) });
  const carried = (await at(service).ledger(renewal.id)).filter(({ due_date }) => due_date === inDays(service, 20));
  expect(carried.map(({ rung, state }) => [rung, state])).toEqual([
    ['30', 'SUPERSEDED'],
    ['60', 'SUPERSEDED'],
    ['90', 'SUPERSEDED'],
  ]);
  expect(await service.db('compliance_flags').whereNull('cleared_at')).toEqual([]);
});

test("upstream's agent is taken until staff name another", async () => {
  const agents: (string | null | undefined)[] = [];
  const say = async (hour: number, assigned_agent?: string) =>
    agents.push((await told(policyIssued('P-1', '2027-01-01', { assigned_agent }, time(hour)))).assigned_agent);
  await say(1, 'ann');
  await say(2);
  await say(3, 'bob');
  const [{ id } = { id: '' }] = await renewalsOf(service);
  await at(service).change(id, { assigned_agent: 'cleo' });
  await say(4, 'bob');
  await say(5);
  await say(6, 'dan');
  expect(agents).toEqual(['ann', null, 'bob', 'cleo', 'cleo', 'dan']);
});

test('after completion the same policy moves what followed; a later term of a cancelled one is watched anew', async () => {
  const first = await told(policyIssued('P-1', inDays(service, 30), {}, time(1)));
  const next = (await at(service).move(first.id, 'complete')).body.next_renewal as Renewal;
  expect(await tell(policyIssued('P-1', inDays(service, 400), {}, time(2)))).toMatchObject({
    outcome: 'moved',
    renewal_id: next.id,
  });
  expect(await at(service).row(first.id)).toMatchObject({ status: 'COMPLETED', due_date: inDays(service, 30) });
  await at(service).move(next.id, 'cancel');
  expect(await tell(policyIssued('P-1', inDays(service, 399), {}, time(3)))).toMatchObject({ outcome: 'ignored' });
  expect(await tell(policyIssued('P-1', inDays(service, 765), {}, time(4)))).toMatchObject({ outcome: 'created' });
  expect((await renewalsOf(service)).map(({ status }) => status)).toEqual(['COMPLETED', 'CANCELLED', 'UPCOMING']);
});

test('where renewals lead round to the first again, the last before it is what the next event is about', async () => {
  const first = await told(policyIssued('P-1', inDays(service, 60), {}, time(1)));
  const next = (await at(service).move(first.id, 'complete', { next_due_date: inDays(service, 70) })).body.next_renewal;
  await at(service).move(next?.id as string, 'complete', { create_next: false });
  const round = { successor_id: first.id, successor_version: 1, successor_made: false };
  await service.db('renewals').where({ id: next?.id }).update(round);
  expect(await tell(policyIssued('P-1', inDays(service, 65), {}, time(2)))).toMatchObject({
    outcome: 'ignored',
    renewal_id: next?.id,
  });
});

test('what is said again of a term that was completed leaves the next one where it is, but for its agent', async () => {
  const first = await told(policyIssued('P-1', inDays(service, 25), {}, time(1)));
  const next = (await at(service).move(first.id, 'complete')).body.next_renewal as Renewal;
  const ignored = { outcome: 'ignored', renewal_id: next.id };
  const again = (hour: number, days: number) =>
    tell(policyIssued('P-1', inDays(service, days), { assigned_agent: 'ann' }, time(hour)));
  expect(await again(2, 25)).toMatchObject(ignored);
  expect(await again(4, 20)).toMatchObject(ignored);
  expect(await again(3, 500)).toMatchObject({ outcome: 'ignored' });
  expect(await at(service).row(next.id)).toMatchObject({ due_date: next.due_date, assigned_agent: 'ann' });
  expect(await again(5, 26)).toMatchObject({ outcome: 'moved', renewal_id: next.id });
});

test('a policy heard of for the first time after staff completed that term is not watched for it again', async () => {
  const policy = { service_type: 'INSURANCE_POLICY', policy_id: 'P-1', due_date: inDays(service, 25) };
  const entered = await at(service).create(policy);
  const next = (await at(service).move(entered.id, 'complete')).body.next_renewal as Renewal;
  expect(await tell(policyIssued('P-1', inDays(service, 25), {}, time(1)))).toMatchObject({
    outcome: 'ignored',
    renewal_id: next.id,
  });
  expect(await tell(policyIssued('P-1', inDays(service, 400), {}, time(2)))).toMatchObject({
    outcome: 'moved',
    renewal_id: next.id,
  });
  expect(await tell(policyIssued('P-1', inDays(service, 25), {}, time(3)))).toMatchObject({ outcome: 'ignored' });
  expect((await renewalsOf(service)).map(({ due_date }) => due_date)).toEqual([25, 400].map((n) => inDays(service, n)));
});

test('what was reopened is what the next event is about', async () => {
  const first = await told(policyIssued('P-1', inDays(service, 30), {}, time(1)));
  await at(service).move(first.id, 'complete');
  await at(service).move(first.id, 'reopen');
  expect(await tell(policyIssued('P-1', inDays(service, 40), {}, time(2)))).toMatchObject({
    outcome: 'moved',
    renewal_id: first.id,
  });
});

test('a policy that goes to another customer is watched there, and no longer here', async () => {
  await tell(policyIssued('P-1', '2027-01-01', {}, time(1)));
  await tell(policyIssued('P-1', '2027-02-01', { customer_id: 'C-2' }, time(2)));
  await tell(policyIssued('P-1', '2027-03-01', {}, time(1)));
  expect(await renewalsOf(service)).toMatchObject([{ status: 'CANCELLED', due_date: '2027-01-01' }]);
  expect(await renewalsOf(service, 'C-2')).toMatchObject([{ status: 'UPCOMING', due_date: '2027-02-01' }]);
});

test('a policy that goes to a customer for whom staff watch it already is not watched twice', async () => {
  await tell(policyIssued('P-1', '2027-01-01', {}, time(1)));
  const own = await at(service).create({ service_type: 'INSURANCE_POLICY', policy_id: 'P-1' }, 'C-2');
  expect(await tell(policyIssued('P-1', '2027-02-01', { customer_id: 'C-2' }, time(2)))).toMatchObject({
    outcome: 'adopted',
    renewal_id: own.id,
  });
  expect(await renewalsOf(service, 'C-2')).toMatchObject([{ due_date: '2027-02-01' }]);
  expect(await renewalsOf(service)).toMatchObject([{ status: 'CANCELLED' }]);
});

/** A permit that was renewed; what followed it awaits the new one. */
async function renewedPermit(): Promise<Renewal> {
  const old = await told(permitApproved('R-1', inDays(service, 30), {}, time(1)));
  return (await at(service).move(old.id, 'complete')).body.next_renewal as Renewal;
}

test('a renewed permit stands for what followed the old one, whose date it sets', async () => {
  const next = await renewedPermit();
  const outcome = await tell(permitApproved('R-2', '2029-05-31', {}, time(2)));
  expect(outcome).toMatchObject({ outcome: 'adopted', renewal_id: next.id });
  const source = { kind: 'residence_permit', id: 'R-2' };
  expect((await renewalsOf(service))[1]).toMatchObject({ id: next.id, due_date: '2029-05-31', source });
  expect(await tell(permitApproved('R-2', '2029-06-30', {}, time(3)))).toMatchObject({ outcome: 'moved' });
  expect(await tell(permitApproved('R-3', '2029-07-31', {}, time(4)))).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(next.id)).toMatchObject({ due_date: '2029-06-30', anchor_day: 30 });
});

test('what is said of the old permit after that does not touch the new one; only what ends later is watched', async () => {
  const next = await renewedPermit();
  await tell(permitApproved('R-2', '2029-05-31', {}, time(2)));
  expect(await tell(permitApproved('R-1', inDays(service, 60), {}, time(3)))).toMatchObject({ outcome: 'ignored' });
  expect(await at(service).row(next.id)).toMatchObject({ due_date: '2029-05-31', source_id: 'R-2' });
  expect(await tell(permitApproved('R-1', '2030-01-01', {}, time(4)))).toMatchObject({ outcome: 'created' });
});

test.each([
  ['another permit of which was told', () => told(permitApproved('R-2', inDays(service, 300), {}, time(1)))],
  ['another permit that staff or a list watch', () => at(service).create({ due_date: inDays(service, 300) })],
])('a permit that was completed, and is followed by %s, is watched again for what ends later', async (_, another) => {
  const first = await told(permitApproved('R-1', inDays(service, 30), {}, time(1)));
  const other = await another();
  const { body } = await at(service).move(first.id, 'complete');
  expect(body.next_renewal?.id).toBe(other.id);
  expect(await tell(permitApproved('R-1', inDays(service, 30), {}, time(2)))).toMatchObject({ outcome: 'ignored' });
  const outcome = await tell(permitApproved('R-1', inDays(service, 200), {}, time(3)));
  expect(outcome).toMatchObject({ outcome: 'created' });
  expect(await tell(permitApproved('R-1', inDays(service, 210), {}, time(4)))).toMatchObject({
    outcome: 'moved',
    renewal_id: outcome.renewal_id,
  });
  expect(await tell(permitApproved('R-1', inDays(service, 30), {}, time(5)))).toMatchObject({ outcome: 'ignored' });
  expect((await renewalsOf(service)).map(({ due_date }) => due_date)).toEqual(
    [30, 210, 300].map((days) => inDays(service, days)),
  );
});

test('a date that staff or a list gave is not taken by a new permit, also where another one led to it', async () => {
  const first = await at(service).create({ due_date: inDays(service, 30) });
  const other = await at(service).create({ due_date: inDays(service, 300) });
  await at(service).move(first.id, 'complete');
  expect(await tell(permitApproved('R-1', inDays(service, 760)))).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(other.id)).toMatchObject({ due_date: inDays(service, 300), source_kind: null });
});

test('a renewed permit that goes to another customer leaves the new one where it is', async () => {
  const next = await renewedPermit();
  await tell(permitApproved('R-2', '2029-05-31', {}, time(2)));
  const moved = permitApproved('R-1', '2030-01-01', { customer_id: 'C-2' }, time(3));
  expect(await tell(moved)).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(next.id)).toMatchObject({ due_date: '2029-05-31', status: 'UPCOMING' });
});

test('two new permits at once: one stands for what followed the old one, the other is its own', async () => {
  await renewedPermit();
  const outcomes = await Promise.all(['R-2', 'R-3', 'R-4'].map((id) => tell(permitApproved(id, '2029-05-31'))));
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['adopted', 'created', 'created']);
});

test.each<[string, (next: Renewal) => Promise<unknown>, Envelope]>([
  ['was changed since', ({ id }) => at(service).change(id, { notes: 'mine' }), permitApproved('R-2', '2029-05-31')],
  ['alerted since', (next) => alerted(service, next, ['90']), permitApproved('R-2', '2029-05-31')],
  ['was cancelled', ({ id }) => at(service).move(id, 'cancel'), permitApproved('R-2', '2029-05-31')],
  ['is of another customer', async () => {}, permitApproved('R-2', '2029-05-31', { customer_id: 'C-2' })],
  ['is of another service type', async () => {}, policyIssued('P-2', '2029-05-31')],
  ['followed what ends later than the permit', async () => {}, permitApproved('R-0', '2020-01-31')],
])('what %s is not taken by a new permit, which is watched by itself', async (_, change, event) => {
  const next = await renewedPermit();
  await change(next);
  expect(await tell(event)).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(next.id)).toMatchObject({ due_date: next.due_date, source_kind: null });
});

test('the terms of a new permit are counted by the day it says, also where its date was foreseen', async () => {
  const old = await told(permitApproved('R-1', '2028-02-29', {}, time(1)));
  const next = (await at(service).move(old.id, 'complete')).body.next_renewal as Renewal;
  expect(await at(service).row(next.id)).toMatchObject({ due_date: '2030-02-28', anchor_day: 29 });
  expect(await tell(permitApproved('R-2', '2030-02-28', {}, time(2)))).toMatchObject({ outcome: 'adopted' });
  const { body } = await at(service).move(next.id, 'complete');
  expect(body.next_renewal).toMatchObject({ due_date: '2032-02-28' });
});

test('a new policy takes what followed one without a number, but nothing that names another policy', async () => {
  const unnamed = await at(service).create({ service_type: 'INSURANCE_POLICY' });
  const next = (await at(service).move(unnamed.id, 'complete')).body.next_renewal as Renewal;
  expect(await tell(policyIssued('P-1', '2028-01-01'))).toMatchObject({ outcome: 'adopted', renewal_id: next.id });
  const following = (await at(service).move(next.id, 'complete')).body.next_renewal as Renewal;
  expect(await tell(policyIssued('P-2', '2029-02-01'))).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(following.id)).toMatchObject({ policy_id: 'P-1', due_date: '2029-01-01' });
});

test('a permit that staff or a list watch already by its date is not watched twice', async () => {
  const own = await at(service).create({ due_date: '2027-03-01', assigned_agent: 'ann' });
  const twin = await at(service).create({ due_date: '2027-03-01' });
  await at(service).create({ due_date: '2027-03-01', service_type: 'WORK_PERMIT' });
  await at(service).change(own.id, { notes: 'by post' });
  const event = permitApproved('R-1', '2027-03-01', {}, time(1));
  expect(await tell(event)).toMatchObject({ outcome: 'adopted', renewal_id: own.id });
  expect(await tell(permitApproved('R-1', '2027-04-01', {}, time(2)))).toMatchObject({ outcome: 'moved' });
  expect(await tell(permitApproved('R-2', '2027-03-01'))).toMatchObject({ outcome: 'adopted', renewal_id: twin.id });
  expect(await tell(permitApproved('R-3', '2027-03-01'))).toMatchObject({ outcome: 'created' });
  expect(await at(service).row(own.id)).toMatchObject({
    due_date: '2027-04-01',
    assigned_agent: 'ann',
    notes: 'by post',
  });
});

test.each([
  ['names another policy', policyIssued('P-1', '2027-03-01'), { service_type: 'INSURANCE_POLICY', policy_id: 'P-2' }],
  ['is closed', permitApproved('R-1', '2027-03-01'), {}],
])('what %s is not taken, also where the date is the same', async (what, event, given) => {
  const { id } = await at(service).create({ due_date: '2027-03-01', ...given });
  if (what === 'is closed') await at(service).move(id, 'cancel');
  expect(await tell(event)).toMatchObject({ outcome: 'created' });
});

test('a policy that staff watch already is not watched twice', async () => {
  const own = await at(service).create({ service_type: 'INSURANCE_POLICY', policy_id: 'P-1', assigned_agent: 'ann' });
  const event = policyIssued('P-1', inDays(service, 210), {}, time(1));
  expect(await tell(event)).toMatchObject({ outcome: 'adopted', renewal_id: own.id });
  expect(await renewalsOf(service)).toMatchObject([{ due_date: inDays(service, 210), assigned_agent: 'ann' }]);
  expect(await tell(policyIssued('P-2', inDays(service, 210)))).toMatchObject({ outcome: 'created' });
});
