import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData } from '@ops/contracts/events';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { inDays } from '../../test/renewals.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { permitApproved, permitWithdrawn, policyCancelled, policyIssued, renewalsOf } from '../../test/upstream.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const tell = async (event: Envelope): Promise<UpstreamEventOutcome> =>
  (await service.post<UpstreamEventOutcome>(automation, '/ops/events', event)).body;

const at = (hour: number) => ({ time: `2026-03-01T0${hour}:00:00Z` });

const told = async () =>
  (await service.events())
    .filter(({ type }) => type === 'renewal.source_ended')
    .map(({ data }) => data as EventData<'renewal.source_ended'>);

const watch = async (policy_id: string, customer = 'C-1') =>
  (
    await service.post<Renewal>(staff, `/ops/customers/${customer}/renewals`, {
      service_type: 'INSURANCE_POLICY',
      due_date: inDays(service, 200),
      policy_id,
    })
  ).body;

test('what stands for a policy that was cancelled is cancelled, says why, and is told of', async () => {
  const { renewal_id } = await tell(policyIssued('P-1', inDays(service, 100), {}, at(1)));
  expect(await tell(policyCancelled('P-1', at(2)))).toMatchObject({ outcome: 'cancelled', renewal_id });
  expect(await renewalsOf(service)).toMatchObject([
    { status: 'CANCELLED', cancelled_because: { reason: 'upstream', note: 'Policy P-1 was cancelled' } },
  ]);
  expect(await told()).toMatchObject([
    {
      renewal_id,
      customer_id: 'C-1',
      cancelled: true,
      source: { kind: 'policy', id: 'P-1' },
      service_label: 'Insurance policy',
    },
  ]);
  expect(await tell(policyCancelled('P-1', at(3)))).toMatchObject({ outcome: 'unchanged' });
  expect(await told()).toHaveLength(1);
});

test('what merely names the policy goes on, whoever’s it is, and is told of', async () => {
  const [one, other] = [await watch('P-1'), await watch('P-1', 'C-2')];
  await watch('P-2');
  expect(await tell(policyCancelled('P-1'))).toMatchObject({ outcome: 'unchanged', renewal_id: null });
  expect((await renewalsOf(service)).map(({ status }) => status)).toEqual(['UPCOMING', 'UPCOMING']);
  const about = (await told()).map(({ renewal_id, cancelled }) => [renewal_id, cancelled]).toSorted();
  expect(about).toEqual(
    [
      [one.id, false],
      [other.id, false],
    ].toSorted(),
  );
});

test('what follows a term that was completed goes on when the permit before it is withdrawn, and is told of', async () => {
  const { renewal_id } = await tell(permitApproved('R-1', inDays(service, 20), {}, at(1)));
  const completed = await service.patch<{ next_renewal: Renewal }>(staff, `/ops/renewals/${renewal_id}/complete`);
  expect(await tell(permitWithdrawn('R-1', at(2)))).toMatchObject({ outcome: 'unchanged', renewal_id });
  expect(await told()).toMatchObject([{ renewal_id: completed.body.next_renewal.id, cancelled: false }]);
});

test('in force again, it is watched again; an older word of its end changes nothing', async () => {
  await tell(policyIssued('P-1', inDays(service, 100), {}, at(1)));
  await tell(policyCancelled('P-1', at(3)));
  expect(await tell(policyIssued('P-1', inDays(service, 100), {}, at(2)))).toMatchObject({ outcome: 'ignored' });
  expect(await tell(policyIssued('P-1', inDays(service, 100), {}, at(4)))).toMatchObject({ outcome: 'created' });
  expect(await tell(policyCancelled('P-1', { ...at(3), id: 'late' }))).toMatchObject({ outcome: 'ignored' });
  expect((await renewalsOf(service)).map(({ status }) => status).toSorted()).toEqual(['CANCELLED', 'UPCOMING']);
});

test('what was never told of is not watched by an older word that comes after its end', async () => {
  expect(await tell(policyCancelled('P-1', at(2)))).toMatchObject({ outcome: 'unchanged', renewal_id: null });
  expect(await tell(policyIssued('P-1', inDays(service, 100), {}, at(1)))).toMatchObject({
    outcome: 'ignored',
    renewal_id: null,
  });
  expect(await renewalsOf(service)).toEqual([]);
});

test.each([
  ['no reason', undefined, 200, null],
  ['a reason', { reason: 'lost' }, 200, { reason: 'lost', note: null }],
  ['a reason and a note', { reason: 'other', note: 'Moved away' }, 200, { reason: 'other', note: 'Moved away' }],
  ['a note alone', { note: 'Moved away' }, 422, null],
  ['a reason nobody knows', { reason: 'bored' }, 422, null],
])('cancelled by hand with %s', async (_, body, status, because) => {
  const { id } = await watch('P-1');
  const answer = await service.patch<Renewal>(staff, `/ops/renewals/${id}/cancel`, body);
  expect(answer.status).toBe(status);
  const [read] = await renewalsOf(service);
  expect(read).toMatchObject({ status: status === 200 ? 'CANCELLED' : 'UPCOMING', cancelled_because: because });
  await service.patch(staff, `/ops/renewals/${id}/reopen`);
  expect((await renewalsOf(service))[0]).toMatchObject({ status: 'UPCOMING', cancelled_because: null });
});
