import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { DeadLetter } from '@ops/contracts/resources/dead-letter';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { admin, automation, startTestService, type TestService } from '../../test/service.ts';
import { permitApproved, policyIssued, renewalsOf } from '../../test/upstream.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const publish = (...events: unknown[]) => service.bus.publish(events.map((event) => ({ event: event as Envelope })));

const deadLetters = async () =>
  (await service.get<{ data: DeadLetter[] }>(admin, '/ops/services/renewals-service/dead-letters')).body.data;

test('events over the broker are watched once, however often and by whatever way they are told', async () => {
  const policy = policyIssued('P-1', '2027-01-15', {}, { id: '1' });
  const permit = permitApproved('R-1', '2028-01-01');
  await publish(policy, permit, policy);
  await eventually(async () => expect(await renewalsOf(service)).toHaveLength(2));
  expect(await service.post(automation, '/ops/events', policy)).toMatchObject({ body: { outcome: 'unchanged' } });
  await publish(policy, policyIssued('P-1', '2027-02-01', {}, { time: '2026-03-02T11:30:00Z' }));
  await eventually(async () => expect(await renewalsOf(service)).toMatchObject([{ due_date: '2027-02-01' }, {}]));
  expect((await service.events()).map(({ data }) => data.change)).toEqual(['created', 'created', 'changed']);
});

test('what is posted is heard by whoever else listens, and our own queue knows it', async () => {
  const heard: unknown[] = [];
  const queue = { name: 'test:upstream:hear', bindings: ['policy.issued'], batch: 10, prefetch: 10 };
  const listening = await service.bus.consume(
    { ...queue, retry: { delaysMs: [50], maxAttempts: 1 } },
    async (messages) => {
      heard.push(...messages.map(({ event }) => event));
      return messages.map(() => ({ done: true }));
    },
  );
  const posted = policyIssued('P-5', '2027-01-15', { note: '\u0000' });
  const { body } = await service.post<UpstreamEventOutcome>(automation, '/ops/events', posted);
  const published = policyIssued('P-6', '2027-01-15');
  await publish(published);
  await eventually(async () => expect(await renewalsOf(service)).toHaveLength(2));
  await eventually(async () => expect(heard).toHaveLength(2));
  expect(heard).toEqual(expect.arrayContaining([expect.objectContaining(posted), published]));
  // Whatever was published before these has been taken when the last one is.
  await service.post(automation, '/ops/events', posted);
  await publish(policyIssued('P-7', '2027-01-15'));
  await eventually(async () => expect(await renewalsOf(service)).toHaveLength(3));
  await listening.close();
  expect(heard.filter((event) => (event as Envelope).id === posted.id)).toHaveLength(1);
  expect(await service.db('renewals').where({ id: body.renewal_id })).toMatchObject([{ version: 1 }]);
  expect(await deadLetters()).toEqual([]);
});

test('an event without a time or a subject is of the time it came, and about its policy', async () => {
  const { time: _, subject: __, ...bare } = policyIssued('P-8', '2027-01-15');
  await publish({ ...bare, id: uuidv7(), time: null, subject: null });
  await eventually(async () => expect(await renewalsOf(service)).toHaveLength(1));
  await publish(
    policyIssued('P-8', '2027-02-15', {}, { time: '2026-03-02T11:59:59Z' }),
    permitApproved('R-8', '2028-01-01'),
  );
  await eventually(async () => expect(await renewalsOf(service)).toMatchObject([{ due_date: '2027-01-15' }, {}]));
  await publish({ ...bare, data: { ...bare.data, end_date: '2027-03-15' } });
  await eventually(async () => expect(await renewalsOf(service)).toMatchObject([{ due_date: '2027-03-15' }, {}]));
  expect(await deadLetters()).toEqual([]);
});

test('a broken event is a dead letter that names what is wrong, holds nothing up, and stays one when replayed', async () => {
  const { subject: _, ...broken } = policyIssued('P-2', 'soon', { customer_id: undefined });
  await publish(broken, permitApproved('R-2', '2028-01-01'));
  await eventually(async () => expect(await deadLetters()).toHaveLength(1));
  await eventually(async () => expect(await renewalsOf(service)).toHaveLength(1));
  const [letter] = await deadLetters();
  expect(letter).toMatchObject({ queue: 'renewals-service:upstream:watch', event_id: broken.id, attempts: 1 });
  expect(letter?.error).toMatch(/data\.customer_id: is required; data\.end_date: /);
  await replay(letter as DeadLetter);
  await eventually(async () => expect((await deadLetters()).map(({ id }) => id)).not.toContain(letter?.id));
  await eventually(async () => expect(await deadLetters()).toHaveLength(1));
  await service.db('dead_letters').delete();
});

const replay = async ({ id }: DeadLetter) =>
  expect(await service.post(admin, `/ops/services/renewals-service/dead-letters/${id}/replay`)).toMatchObject({
    status: 202,
  });

test('what failed for a reason that is gone counts once it is replayed', async () => {
  const event = policyIssued('P-3', '2027-01-15');
  const kept = { id: uuidv7(), queue: 'renewals-service:upstream:watch', event_id: event.id, event_type: event.type };
  const rest = { subject: 'C-1', body: JSON.stringify(event), attempts: 8, error: 'disk full' };
  await service.db('dead_letters').insert({ ...kept, ...rest });
  const [letter] = await deadLetters();
  await replay(letter as DeadLetter);
  await eventually(async () => expect(await renewalsOf(service)).toMatchObject([{ policy_id: 'P-3' }]));
  expect(await deadLetters()).toEqual([]);
});

test('twenty twins at once, half of them over the broker, make one renewal', async () => {
  const event = policyIssued('P-4', '2027-01-15');
  const twins = Array.from({ length: 20 }, (_, n) => ({ ...event, id: n % 4 ? uuidv7() : event.id }));
  const posted = twins.map((twin, n) =>
    n % 2 ? publish(twin) : service.post<Renewal>(automation, '/ops/events', twin),
  );
  await Promise.all(posted);
  const ids = twins.map(({ id }) => id);
  const unlike = new Set(ids).size;
  await eventually(async () => expect(await service.db('inbox').whereIn('event_id', ids)).toHaveLength(unlike));
  expect(await renewalsOf(service)).toMatchObject([{ policy_id: 'P-4', due_date: '2027-01-15', version: 1 }]);
  const changes = (await service.events()).filter(({ type }) => type === 'renewal.changed');
  expect(changes.map(({ data }) => data.change)).toEqual(['created']);
});
