import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { SavedRetention } from '@ops/contracts/resources/proposal';
import type { RetentionPolicy, RetentionRun } from '@ops/contracts/resources/retention';
import { eventually } from '@ops/test-kit/eventually';
import { type OtherServices, startOtherServices } from '../../test/other-services.ts';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';
import { usualDays, usualRetention } from '../../test/usual-retention.ts';

let service: TestService;
let others: OtherServices;

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
  await service.db('retention_runs').delete();
  await usualRetention(service.db);
});

const policy = '/ops/retention';
const runs = '/ops/retention/runs';
const run = (query = '') => service.post<RetentionRun>(admin, `${runs}${query}`);

test('seven years for what was said, 90 days for raw payloads, 30 for working rows', async () => {
  const { body, headers } = await service.get<RetentionPolicy>(admin, policy);
  expect(body).toMatchObject({ keep_days: usualDays, version: 1, updated_by: null });
  expect(headers.get('etag')).toBe('"1"');
});

test.each([undefined, 30, 2557])(
  'with %s days saved by an earlier version, who changed what is kept for seven years',
  async (AUDIT) => {
    await service.db('retention_policy').update({ keep_days: JSON.stringify({ ...usualDays, AUDIT }) });
    expect((await service.get<RetentionPolicy>(admin, policy)).body.keep_days).toEqual(usualDays);
  },
);

test('a change keeps what it leaves out, says who made it, and makes a new version; the same again is none', async () => {
  const changed = await service.put<RetentionPolicy>(admin, policy, { keep_days: { SMS: 3650 } });
  expect(changed).toMatchObject({
    status: 200,
    body: { keep_days: { ...usualDays, SMS: 3650 }, version: 2, updated_by: 'chief-1', proposal: null },
  });
  expect(changed.headers.get('etag')).toBe('"2"');
  const again = await service.put<RetentionPolicy>(admin, policy, { keep_days: { SMS: 3650, EMAIL: 2557 } });
  expect(again.body).toEqual(changed.body);
  const { proposal: _, ...inEffect } = changed.body as SavedRetention;
  expect((await service.get<RetentionPolicy>(admin, policy)).body).toEqual(inEffect);
  const { body } = await service.get<Page<AuditEntry>>(admin, `${policy}/history?limit=1`);
  expect(body.data).toMatchObject([
    { actor: 'chief-1', action: 'putRetention', changes: [{ field: 'SMS', old: usualDays.SMS, new: 3650 }] },
  ]);
});

test('a change based on an older version is refused', async () => {
  await service.put(admin, policy, { keep_days: { SMS: 3650 } });
  const stale = await service.put<Problem>(admin, policy, { keep_days: { SMS: 4000 } }, { 'If-Match': '"1"' });
  expect(stale.status).toBe(412);
  expect(await service.put(admin, policy, { keep_days: { SMS: 4000 } }, { 'If-Match': '"2"' })).toMatchObject({
    status: 200,
  });
});

test.each([
  [{ keep_days: { SMS: 0 } }, 'keep_days.SMS'],
  [{ keep_days: { SMS: 1.5 } }, 'keep_days.SMS'],
  [{ keep_days: { FAX: 10 } }, 'keep_days.FAX'],
  [{ keep: {} }, 'keep'],
])('the change %j is refused by name', async (body, path) => {
  const { status, body: problem } = await service.put<Problem>(admin, policy, body);
  expect([status, problem.errors?.map((error) => error.path)]).toEqual([422, expect.arrayContaining([path])]);
});

test('nothing is kept for less than 30 days', async () => {
  const { AUDIT: _, ...others } = usualDays;
  for (const subject of Object.keys(others)) {
    const { status, body } = await service.put<Problem>(admin, policy, { keep_days: { [subject]: 29 } });
    expect([status, body.errors]).toEqual([
      422,
      [{ path: `keep_days.${subject}`, message: 'must be at least 30: what is removed does not come back' }],
    ]);
  }
});

test('who changed what may be kept for longer than seven years, and for no less', async () => {
  const ask = (AUDIT: number) => service.put<Problem & RetentionPolicy>(admin, policy, { keep_days: { AUDIT } });
  const refused = await ask(2556);
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ path: 'keep_days.AUDIT', message: 'must be at least 2557: who changed what is kept for seven years' }],
  ]);
  expect(await ask(3650)).toMatchObject({ status: 200, body: { keep_days: { AUDIT: 3650 } } });
});

test('only an admin reads or changes it, or starts a run', async () => {
  expect((await service.get(staff, policy)).status).toBe(403);
  expect((await service.put(staff, policy, { keep_days: {} })).status).toBe(403);
  expect((await service.post(staff, runs)).status).toBe(403);
  expect((await service.get(staff, runs)).status).toBe(403);
  expect((await service.get(staff, `${policy}/history`)).status).toBe(403);
});

test('a run asks every service with the times of the policy, and names every place of every service', async () => {
  await service.put(admin, policy, { keep_days: { RAW_WEBHOOK_PAYLOAD: 137 } });
  const { body } = await run();
  expect(body).toMatchObject({ dry_run: false, started_by: 'chief-1', status: 'completed', failure: null });
  const own = body.places.filter((place) => place.service === 'comms-service').map(({ place }) => place);
  const shared = ['outbox', 'inbox', 'idempotency_keys', 'replayed_dead_letters', 'dead_letters', 'audit'];
  expect(own).toEqual([
    ...shared,
    'attachments',
    'uploads',
    'message_changes',
    'opt_outs',
    'communications',
    'communications_unread',
    'import_rows',
    'imports',
  ]);
  expect(body.places).toEqual(
    expect.arrayContaining(others.names.map((name) => ({ service: name, place: 'rows', rows: 1 }))),
  );
  const daysBefore = new Date(Date.parse(body.as_of) - 137 * 86_400_000).toISOString();
  expect(others.orders).toHaveLength(3);
  for (const order of others.orders)
    expect(order).toMatchObject({ dry_run: false, before: { RAW_WEBHOOK_PAYLOAD: daysBefore } });
});

test('a service that has more is asked again until it has none, and its rows are added up', async () => {
  others.answer = (_, asked) => ({ complete: asked === 3 });
  const { body } = await run();
  expect(others.orders).toHaveLength(9);
  expect(body.places).toEqual(
    expect.arrayContaining(others.names.map((name) => ({ service: name, place: 'rows', rows: 3 }))),
  );
});

test('a dry run is told to the services as one', async () => {
  expect((await run('?dry_run=true')).body).toMatchObject({ dry_run: true, status: 'completed' });
  expect(others.orders.map(({ dry_run }) => dry_run)).toEqual([true, true, true]);
});

test('a service that fails makes a failed run that says so; all the others have done their part', async () => {
  others.answer = (name) => (name === 'notifier' ? undefined : { complete: true });
  const { status, body } = await run();
  expect([status, body.status]).toEqual([200, 'failed']);
  expect(body.failure).toBe('notifier answered 500 to /internal/retention');
  expect(new Set(body.places.map((place) => place.service))).toEqual(
    new Set(['comms-service', 'renewals-service', 'webhook-ingest']),
  );
});

test('runs are listed newest first, page by page', async () => {
  const ids = [(await run()).body.id, (await run('?dry_run=true')).body.id, (await run()).body.id];
  const first = (await service.get<Page<RetentionRun>>(admin, `${runs}?limit=2`)).body;
  const rest = (await service.get<Page<RetentionRun>>(admin, `${runs}?limit=2&cursor=${first.next_cursor}`)).body;
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(rest.next_cursor).toBeNull();
  expect((await service.get(admin, `${runs}?cursor=x`)).status).toBe(422);
});

test('the same Idempotency-Key again starts no second run', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const first = await service.post(admin, runs, undefined, headers);
  const again = await service.post(admin, runs, undefined, headers);
  expect(again.body).toEqual(first.body);
  expect(others.orders).toHaveLength(3);
});

test('while a run is under way another is refused; a dry run is not', async () => {
  const hold = Promise.withResolvers<void>();
  others.hold = hold.promise;
  const first = run();
  await eventually(() => expect(others.orders).toHaveLength(1));
  expect((await service.post<Problem>(admin, runs)).status).toBe(409);
  others.hold = Promise.resolve();
  expect((await run('?dry_run=true')).status).toBe(200);
  hold.resolve();
  expect((await first).body.status).toBe('completed');
});
