import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Problem } from '@ops/contracts/problem';
import type { RefreshPreview, RefreshRun, RefreshRunDetail } from '@ops/contracts/resources/refresh';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { automation, firstDay, scheduler, staff, startTestService, type TestService } from '../../test/service.ts';
import { insertRenewals } from '../../test/world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const path = '/ops/renewals/refresh';
const many = (count: number) =>
  insertRenewals(
    service.db,
    Array.from({ length: count }, () => ({ due_date: addDays(firstDay, 30) })),
  );

test('works with no body and no Content-Type, and answers the finished run', async () => {
  await many(3);
  const { status, body } = await service.post<RefreshRun>(scheduler, path);
  expect([status, body]).toMatchObject([
    200,
    {
      as_of: firstDay,
      status: 'COMPLETED',
      started_by: 'cronjob',
      remaining: null,
      failure: null,
      counts: { looked_at: 3, fired: 3, superseded: 6, became_overdue: 0, set_aside: 0, by_rung: { '30': 3 } },
    },
  ]);
  expect((await service.get<RefreshRunDetail>(staff, `${path}/${body.run_id}`)).body).toEqual({
    ...body,
    set_aside: [],
  });
});

test('with Prefer: respond-async it answers at once, goes on, and tells how far it is', async () => {
  await many(5);
  const { status, body } = await service.post<RefreshRun>(staff, path, undefined, { Prefer: 'respond-async' });
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'RUNNING', started_by: 'agent-1', finished_at: null });
  await eventually(async () => {
    const { body: later } = await service.get<RefreshRunDetail>(staff, `${path}/${body.run_id}`);
    expect(later).toMatchObject({ status: 'COMPLETED', remaining: null, counts: { fired: 5 } });
  });
});

test('one that takes longer than the gateway waits is answered as it then is, and goes on', async () => {
  const impatient = await startTestService({ REFRESH_ANSWER_MS: '100' });
  try {
    const [held] = await insertRenewals(impatient.db, [{ due_date: addDays(firstDay, 30) }]);
    const trx = await impatient.db.transaction();
    await trx('renewals').where({ id: held }).forUpdate().first();
    const { status, body } = await impatient.post<RefreshRun>(scheduler, path);
    expect([status, body]).toMatchObject([202, { status: 'RUNNING', remaining: 1 }]);
    await trx.commit();
    await eventually(async () =>
      expect((await impatient.get<RefreshRunDetail>(staff, `${path}/${body.run_id}`)).body).toMatchObject({
        status: 'COMPLETED',
        counts: { fired: 1 },
      }),
    );
  } finally {
    await impatient.close();
  }
});

test('while one runs, others join it and get the same run; a held renewal shows as what remains', async () => {
  const [held] = await many(5);
  const trx = await service.db.transaction();
  await trx('renewals').where({ id: held }).forUpdate().first();
  const posts = [1, 2, 3].map(() => service.post<RefreshRun>(staff, path));
  const [run] = await eventually(async () => {
    const { data } = (await service.get<{ data: RefreshRun[] }>(staff, path)).body;
    expect(data).toMatchObject([{ status: 'RUNNING', remaining: 5 }]);
    return data;
  });
  const joined = await service.post<RefreshRun>(staff, path, undefined, { Prefer: 'respond-async' });
  expect([joined.status, joined.body.run_id]).toEqual([202, run?.run_id]);
  await trx.commit();
  for (const { status, body } of await Promise.all(posts))
    expect([status, body.run_id, body.counts.fired]).toEqual([200, run?.run_id, 5]);
  expect(await service.db('alerts').where({ state: 'FIRED' })).toHaveLength(5);
});

test('more callers at once than there are connections all get the one run', async () => {
  await many(40);
  const answers = await Promise.all(Array.from({ length: 30 }, () => service.post<RefreshRun>(staff, path)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(await service.db('alerts').where({ state: 'FIRED' })).toHaveLength(40);
});

test('the same Idempotency-Key gets the first answer again', async () => {
  await many(1);
  const key = { 'Idempotency-Key': 'night-1' };
  const first = await service.post<RefreshRun>(staff, path, undefined, key);
  const again = await service.post<RefreshRun>(staff, path, undefined, key);
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect(await service.db('refresh_runs')).toHaveLength(1);
});

test('a run that failed is answered as an error that names it, and keeps no key', async () => {
  await many(1);
  const key = { 'Idempotency-Key': 'night-2' };
  await service.db.raw('ALTER TABLE refreshed ADD CONSTRAINT never CHECK (as_of IS NULL)');
  const { status, body } = await service
    .post<Problem>(scheduler, path, undefined, key)
    .finally(() => service.db.raw('ALTER TABLE refreshed DROP CONSTRAINT never'));
  const [run] = (await service.get<{ data: RefreshRun[] }>(staff, path)).body.data;
  expect([status, body]).toMatchObject([
    500,
    { code: 'refresh_failed', detail: expect.stringContaining(`${run?.run_id}`) },
  ]);
  expect(run).toMatchObject({ status: 'FAILED', failure: expect.any(String) });
  expect(await service.post<RefreshRun>(scheduler, path, undefined, key)).toMatchObject({
    status: 200,
    body: { status: 'COMPLETED' },
  });
});

test('a dry run lists in pages and changes nothing; a day may be given for it alone', async () => {
  await many(3);
  const first = await service.post<RefreshPreview>(staff, `${path}?dry_run=true&limit=2`);
  expect([first.status, first.body]).toMatchObject([200, { dry_run: true, as_of: firstDay, would_fire: 3 }]);
  const rest = await service.post<RefreshPreview>(
    staff,
    `${path}?dry_run=true&limit=2&cursor=${first.body.next_cursor}`,
  );
  expect([...first.body.data, ...rest.body.data].map(({ fires }) => fires)).toEqual(['30', '30', '30']);
  const ahead = await service.post<RefreshPreview>(staff, `${path}?dry_run=true&as_of=${addDays(firstDay, 23)}`);
  expect(ahead.body).toMatchObject({
    as_of: addDays(firstDay, 23),
    data: [{ fires: '7' }, { fires: '7' }, { fires: '7' }],
  });
  expect(await service.db('refresh_runs')).toEqual([]);
  service.customers.add(...ahead.body.data.map(({ customer_id }) => ({ id: customer_id, name: 'Ada Demo' })));
  const named = async () => (await service.post<RefreshPreview>(staff, `${path}?dry_run=true&limit=1`)).body.data;
  expect(await named()).toMatchObject([{ customer_name: 'Ada Demo' }]);
  service.customers.away(true);
  expect(await named()).toMatchObject([{ customer_name: null }]);
  service.customers.away(false);
  const refused = await service.post<Problem>(staff, `${path}?as_of=${firstDay}`);
  expect([refused.status, refused.body.errors]).toMatchObject([422, [{ path: 'as_of' }]]);
});

test('each line of a dry run says when its own message leaves, as far as notifier can be asked', async () => {
  await many(2);
  const [held] = await service.db('renewals').orderBy('id').pluck('id');
  await service.patch(staff, `/ops/renewals/${held}/start`);
  const send_after_reason = { code: 'closed_days', message: 'weekend' };
  service.notifier.foreseeing = ({ rung, silent, on }) => {
    const leaves = { send_after: `${on}T08:00:00.000Z`, send_after_reason };
    return silent ? { messages: 0, task: false, leaves: null } : { messages: 1, task: rung === '14', leaves };
  };
  const lines = async () => {
    const { body } = await service.post<RefreshPreview>(staff, `${path}?dry_run=true&as_of=${addDays(firstDay, 5)}`);
    return new Map(body.data.map(({ renewal_id, fires, leaves }) => [renewal_id === held, { fires, leaves }]));
  };
  const leaves = { send_after: `${addDays(firstDay, 5)}T08:00:00.000Z`, send_after_reason };
  expect((await lines()).get(true)).toEqual({ fires: '30', leaves: null });
  expect((await lines()).get(false)).toEqual({ fires: '30', leaves });
  service.notifier.away(true);
  expect((await lines()).get(false)).toEqual({ fires: '30', leaves: null });
  service.notifier.away(false);
});

test('runs are listed newest first, in pages', async () => {
  const made: string[] = [];
  for (let n = 0; n < 3; n++) made.unshift((await service.post<RefreshRun>(staff, path)).body.run_id);
  const page = (await service.get<{ data: RefreshRun[]; next_cursor: string }>(staff, `${path}?limit=2`)).body;
  const rest = (await service.get<{ data: RefreshRun[] }>(staff, `${path}?limit=2&cursor=${page.next_cursor}`)).body;
  expect([...page.data, ...rest.data].map(({ run_id }) => run_id)).toEqual(made);
});

test('the last completed run is found behind however many that were not', async () => {
  const { body: completed } = await service.post<RefreshRun>(staff, path);
  await service.db('refresh_runs').insert(
    Array.from({ length: 51 }, (_, n) => ({
      id: uuidv7(),
      as_of: firstDay,
      counts: JSON.stringify(completed.counts),
      ...(n % 2 ? { status: 'FAILED', failure: 'for once' } : { status: 'ABANDONED' }),
      started_at: completed.started_at,
      updated_at: completed.updated_at,
      finished_at: completed.finished_at,
    })),
  );
  const { body } = await service.get<{ data: RefreshRun[] }>(staff, `${path}?status=COMPLETED&limit=1`);
  expect(body.data.map(({ run_id }) => run_id)).toEqual([completed.run_id]);
  expect((await service.get(staff, `${path}?status=DONE`)).status).toBe(422);
});

test('a scheduler may run it and nothing else; automation may not; an unknown run is not there', async () => {
  expect((await service.get(scheduler, path)).status).toBe(403);
  expect((await service.post(scheduler, `${path}?dry_run=true`)).status).toBe(403);
  expect((await service.post(automation, path)).status).toBe(403);
  expect((await service.get(staff, `${path}/0198c0de-0000-7000-8000-000000000001`)).status).toBe(404);
});

test.each([
  ['Pacific/Kiritimati', '2026-03-02T10:30:00Z', '2026-03-03'],
  ['Pacific/Pago_Pago', '2026-03-02T10:30:00Z', '2026-03-01'],
  ['Europe/Zurich', '2026-03-29T00:59:00Z', '2026-03-29'],
  ['Europe/Zurich', '2026-10-24T22:00:00Z', '2026-10-25'],
])('in %s at %s it is the run of %s', async (OPS_TIME_ZONE, now, as_of) => {
  const there = await startTestService({ OPS_TIME_ZONE });
  try {
    there.clock.set(now);
    await insertRenewals(there.db, [
      { due_date: addDays(as_of, 30) },
      { due_date: addDays(as_of, 91) },
      { due_date: addDays(as_of, -1) },
    ]);
    expect((await there.post<RefreshRun>(staff, path)).body).toMatchObject({
      as_of,
      counts: { by_rung: { '30': 1, OVERDUE: 1 }, fired: 2 },
    });
  } finally {
    await there.close();
  }
});
