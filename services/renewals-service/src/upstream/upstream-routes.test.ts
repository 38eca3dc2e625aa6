import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { Problem } from '@ops/contracts/problem';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { uuidv7 } from '@ops/test-kit/builders';
import { automation, scheduler, startTestService, type TestService } from '../../test/service.ts';
import { permitApproved, policyIssued, renewalsOf, workPermitIssued } from '../../test/upstream.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const cloudEvent = { 'content-type': 'application/cloudevents+json' };
const post = <T = UpstreamEventOutcome>(event: unknown, headers: Record<string, string> = cloudEvent) =>
  service.post<T>(automation, '/ops/events', event, headers);

test.each([
  ['policy', policyIssued('P-1', '2027-01-15'), 'INSURANCE_POLICY', 'P-1'],
  ['policy', policyIssued('P-2', '2027-01-15', { service_type: 'CAR_INSURANCE' }), 'CAR_INSURANCE', 'P-2'],
  ['residence_permit', permitApproved('R-1', '2028-02-29'), 'RESIDENCE_PERMIT', null],
  ['work_permit', workPermitIssued('W-1', '2027-12-31'), 'WORK_PERMIT', null],
])('a %s is watched, whether or not anybody knows its customer', async (kind, event, service_type, policy_id) => {
  const { status, body } = await post(event);
  expect([status, body.event_id, body.outcome]).toEqual([202, event.id, 'created']);
  const due_date = event.data.end_date ?? event.data.expiry_date;
  const id = policy_id ?? event.data.permit_id;
  expect(await renewalsOf(service)).toMatchObject([
    { id: body.renewal_id, service_type, policy_id, due_date, status: 'UPCOMING', source: { kind, id } },
  ]);
  expect(await service.events()).toMatchObject([event, { type: 'renewal.changed', data: { change: 'created' } }]);
});

test('it comes as JSON too, with attributes and fields nobody here knows, and with no time but that of its arrival', async () => {
  const { time: _, subject: __, ...event } = policyIssued('P-1', '2027-01-15', { premium: 12 });
  const first = await post({ ...event, partitionkey: 'x' }, {});
  expect(first).toMatchObject({ status: 202, body: { outcome: 'created' } });
  service.clock.set('2026-03-02T13:00:00Z');
  const later = { ...event, id: uuidv7(), data: { ...event.data, end_date: '2027-03-01' } };
  expect(await post(later)).toMatchObject({ status: 202, body: { outcome: 'moved' } });
  service.clock.set('2026-03-02T14:00:00Z');
  expect(await post(event)).toMatchObject({ status: 202, body: { outcome: 'unchanged' } });
  const unset = { ...event, id: uuidv7(), time: null, subject: null, datacontenttype: null };
  expect(await post(unset)).toMatchObject({ status: 202, body: { outcome: 'moved' } });
  expect(await renewalsOf(service)).toMatchObject([{ due_date: '2027-01-15' }]);
});

test('it is published as it came, once, and no older one is held back; what it leaves out is said as it is understood', async () => {
  const full = policyIssued('P-1', '2027-01-15', { premium: 12 }, { id: '17', source: '/policies' });
  const { time: _, subject: __, ...bare } = permitApproved('R-1', '2028-01-01');
  const older = policyIssued('P-1', '2027-02-15', {}, { time: '2026-03-01T00:00:00Z' });
  const traced = { ...full, partitionkey: 'x', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  for (const event of [traced, traced, bare, older]) await post(event);
  await post({ ...good, data: {} });
  const published = (await service.events()).filter(({ type }) => type !== 'renewal.changed');
  const told = { subject: 'R-1', time: expect.stringMatching(/^2026-03-02T/), traceparent: expect.any(String) };
  expect(published).toEqual([
    { ...traced, requestid: expect.any(String) },
    { ...bare, ...told, requestid: expect.any(String) },
    { ...older, traceparent: expect.any(String), requestid: expect.any(String) },
  ]);
});

const good = policyIssued('P-1', '2027-01-15');
test.each<[string, Partial<Record<keyof Envelope, unknown>>, string]>([
  ['an unknown type', { type: 'policy.printed' }, 'type'],
  ['a type that is a word of JavaScript', { type: 'constructor' }, 'type'],
  ['no id', { id: undefined }, 'id'],
  ['no source', { source: '' }, 'source'],
  ['another version', { specversion: '0.3' }, 'specversion'],
  ['a time that is none', { time: 'yesterday' }, 'time'],
  ['a time before all others', { time: '0000-01-01T00:00:00Z' }, 'time'],
  ['a time after all others', { time: '9999-12-31T23:59:59-23:59' }, 'time'],
  ['no data', { data: undefined }, 'data'],
  ['data in Base64', { data: 'e30=' }, 'data'],
  ['a trace nobody could carry on', { traceparent: 5 } as object, 'traceparent'],
  ['a source longer than the bus carries', { source: 's'.repeat(201) }, 'source'],
  ['no date', { data: { ...good.data, end_date: undefined } }, 'data.end_date'],
  ['a date that is none', { data: { ...good.data, end_date: '2027-02-29' } }, 'data.end_date'],
  ['a customer id that is none', { data: { ...good.data, customer_id: 'C 1' } }, 'data.customer_id'],
  ['a policy id nobody could store', { data: { ...good.data, policy_id: 'P\u0000' } }, 'data.policy_id'],
  ['a policy id that is no text', { data: { ...good.data, policy_id: { toString: 1, valueOf: 1 } } }, 'data.policy_id'],
  ['a permit where a policy is meant', { type: 'work_permit.issued' }, 'data.permit_id'],
])('%s is refused by its field, and leaves nothing', async (_, change, path) => {
  const { status, body } = await post<Problem>({ ...good, ...change });
  expect([status, body.code]).toEqual([422, 'validation_failed']);
  expect(body.errors?.map((error) => error.path)).toContain(path);
  expect(await service.db('upstream_statements')).toEqual([]);
  expect(await service.events()).toEqual([]);
});

test('a batch, a body that is no JSON, one too large and one of another media type are refused', async () => {
  expect(await post([good])).toMatchObject({ status: 422 });
  expect(await post(undefined)).toMatchObject({ status: 422 });
  expect(await post({ ...good, data: { ...good.data, note: 'x'.repeat(1024 * 1024) } })).toMatchObject({ status: 413 });
  const { time: _, ...bare } = good;
  const brimful = { ...bare, data: { ...good.data, note: '' } };
  brimful.data.note = 'x'.repeat(1024 * 1024 - JSON.stringify(brimful).length);
  expect(await post(brimful)).toMatchObject({ status: 413 });
  expect(await post(good, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  expect(await service.post(scheduler, '/ops/events', good)).toMatchObject({ status: 403 });
  expect(await service.db('renewals').first()).toBeUndefined();
});

test('with an Idempotency-Key the first answer comes again; without one the event is known by its id', async () => {
  const headers = { ...cloudEvent, 'Idempotency-Key': uuidv7() };
  const first = await post(good, headers);
  const again = await post(good, headers);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  expect(again.body).toEqual(first.body);
  expect(await post(permitApproved('R-1', '2028-01-01'), headers)).toMatchObject({ status: 422 });
  expect((await post(good)).body).toEqual({ ...first.body, outcome: 'unchanged' });
  expect(await renewalsOf(service)).toHaveLength(1);
});

test('two sources may number their events alike', async () => {
  const numbered = (source: string) => ({ id: '17', source });
  await post(policyIssued('P-1', '2027-01-15', {}, numbered('urn:policies')));
  await post(permitApproved('R-1', '2027-05-01', {}, numbered('urn:permits')));
  expect((await renewalsOf(service)).map(({ due_date }) => due_date)).toEqual(['2027-01-15', '2027-05-01']);
});
