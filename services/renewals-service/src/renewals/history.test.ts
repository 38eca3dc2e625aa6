import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import { uuidv7 } from '@ops/test-kit/builders';
import { csv, importing } from '../../test/import.ts';
import { at, inDays } from '../../test/renewals.ts';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

/** Oldest first: each action, and by field what became of what. */
async function history(id: string) {
  const { status, body } = await service.get<Page<AuditEntry>>(staff, `/ops/renewals/${id}/history`);
  expect(status).toBe(200);
  return body.data
    .map(({ action, changes }) => [action, Object.fromEntries((changes ?? []).map((one) => [one.field, one.new]))])
    .toReversed();
}

test('all that people do with a renewal is told, with what it was and is', async () => {
  const [first, moved] = [inDays(service, 200), inDays(service, 150)];
  const { id } = await renewals.create({ due_date: first, assigned_agent: 'agent-2' });
  await renewals.change(id, { due_date: moved, notes: 'asked on the phone' });
  await renewals.change(id, { due_date: moved });
  await service.post(staff, '/ops/renewals/assign', { renewal_ids: [id], assigned_agent: 'agent-3' });
  const until = inDays(service, 20);
  await service.patch(staff, `/ops/renewals/${id}/acknowledge`, { until });
  await renewals.move(id, 'release');
  await renewals.move(id, 'start');
  await renewals.move(id, 'cancel', { reason: 'lost', note: 'elsewhere' });
  await renewals.move(id, 'reopen');
  expect(await history(id)).toMatchObject([
    ['createRenewal', { due_date: first, status: 'UPCOMING', assigned_agent: 'agent-2', reminders: 'on' }],
    ['patchRenewal', { due_date: moved, notes: 'asked on the phone' }],
    ['assignRenewals', { assigned_agent: 'agent-3' }],
    ['acknowledgeRenewal', { acknowledged: { until }, hold: { because: 'acknowledged', until } }],
    ['releaseRenewal', { hold: null }],
    ['startRenewal', { status: 'IN_PROGRESS' }],
    ['cancelRenewal', { status: 'CANCELLED', cancelled_because: { reason: 'lost', note: 'elsewhere' } }],
    ['reopenRenewal', { cancelled_because: null }],
  ]);
});

test('what completing makes, and reopening takes back, is told of the one it happened to', async () => {
  const { id } = await renewals.create();
  const { next_renewal } = (await renewals.move(id, 'complete')).body;
  await renewals.move(id, 'reopen');
  expect(await history(id)).toMatchObject([
    ['createRenewal', {}],
    ['completeRenewal', { status: 'COMPLETED' }],
    ['reopenRenewal', { status: 'UPCOMING' }],
  ]);
  expect(await history(next_renewal?.id ?? '')).toMatchObject([
    ['completeRenewal', { status: 'UPCOMING' }],
    ['reopenRenewal', { status: 'CANCELLED' }],
  ]);
});

test('what a file makes and changes is of whoever brought it', async () => {
  const due = inDays(service, 200);
  const files = importing(service);
  const brought = async (notes: string) => {
    const row = `C-1,WORK_PERMIT,${due},R-1,${notes}`;
    return (await files.take(csv('customer_id,service_type,due_date,external_id,notes', row))).rows;
  };
  const [made] = await brought('one');
  await brought('two');
  expect(await history(made?.id ?? '')).toMatchObject([
    ['importRenewals', { due_date: due, notes: 'one' }],
    ['importRenewals', { notes: 'two' }],
  ]);
});

test('nobody knows of a renewal that is not there', async () => {
  expect((await service.get(staff, `/ops/renewals/${uuidv7()}/history`)).status).toBe(404);
});

test('a service type that is described anew is a setting that somebody changed', async () => {
  const type = { label: 'Demo', renewal_months: 12 };
  for (const label of ['Demo', 'Demo', 'Other'])
    await service.put(admin, '/ops/service-types/DEMO_AUDIT', { ...type, label });
  const written = await service
    .db('audit')
    .join('audit_values', 'audit_id', 'id')
    .where({ subject_kind: 'service_type', subject_id: 'DEMO_AUDIT' })
    .orderBy('id')
    .pluck('changes');
  expect(written).toMatchObject([
    [
      { field: 'label', old: null, new: 'Demo' },
      { field: 'renewal_months', old: null, new: 12 },
      { field: 'labels', old: null, new: {} },
    ],
    [{ field: 'label', old: 'Demo', new: 'Other' }],
  ]);
});
