import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { Page } from '@ops/contracts/pagination';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
});

const renewal = { renewal_id: uuidv7(), service_type: 'RESIDENCE_PERMIT', due_date: '2026-03-31' };
const alert = {
  ...renewal,
  rung: '30',
  days_until_due: 30,
  superseded: ['90', '60'],
  service_label: 'Residence permit',
  version: 1,
  assigned_agent: null,
  reminders: 'on',
};
const completion = { ...renewal, next_renewal_id: null, next_due_date: null };

const event = (type: string, customer_id: string, occurred_at: string, data: object): Envelope => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'renewals-service',
  subject: customer_id,
  time: occurred_at,
  type,
  data: { customer_id, occurred_at, ...data },
});

const timelineOf = async (id: string) =>
  (await service.get<Page<TimelineEvent>>(staff, `/ops/customers/${id}/timeline`)).body.data;

const publish = (...events: Envelope[]) => service.bus.publish(events.map((one) => ({ event: one })));

test("renewals' alerts and completions become lines, newest first, once however often they are told", async () => {
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo' });
  const triggered = event('RENEWAL_TRIGGERED', 'C-1', '2026-03-01T02:00:00Z', alert);
  const completed = event('RENEWAL_COMPLETED', 'C-1', '2026-03-05T09:30:00Z', completion);
  await publish(triggered, triggered, completed);
  await publish(triggered);
  const last = event('RENEWAL_TRIGGERED', 'C-1', '2026-02-01T02:00:00Z', { ...alert, body: 'words' });
  await publish(last);
  await eventually(async () => expect(await timelineOf('C-1')).toHaveLength(3));
  expect(await timelineOf('C-1')).toMatchObject([
    { id: completed.id, type: 'RENEWAL_COMPLETED', occurred_at: '2026-03-05T09:30:00.000000Z', data: completion },
    { id: triggered.id, type: 'RENEWAL_TRIGGERED', customer_id: 'C-1', data: alert },
    // What the contract does not name, such as words of a message, never reaches the timeline.
    { id: last.id, data: expect.not.objectContaining({ body: expect.anything() }) },
  ]);
});

test('what happens to a customer not known yet is kept until it is', async () => {
  const triggered = event('RENEWAL_TRIGGERED', 'C-later', '2026-03-01T02:00:00Z', alert);
  await publish(triggered);
  const stored = () => service.db('timeline').where({ customer_id: 'C-later' });
  await eventually(async () => expect(await stored()).toHaveLength(1));
  expect(await service.get(staff, '/ops/customers/C-later/timeline')).toMatchObject({ status: 404 });
  await service.put(staff, '/ops/customers/C-later', { name: 'Later Demo' });
  expect((await timelineOf('C-later')).map(({ id }) => id)).toEqual([triggered.id]);
});

test('pages of a timeline follow each other without a gap or a twin, also at one instant', async () => {
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo' });
  const lines = Array.from({ length: 7 }, (_, n) => ({
    event_id: `event-${n}`,
    customer_id: 'C-2',
    type: 'RENEWAL_TRIGGERED',
    data: alert,
    occurred_at: `2026-03-01T02:00:00.00000${n % 3}Z`,
  }));
  await service.db('timeline').insert(lines);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const path = `/ops/customers/C-2/timeline?limit=2${cursor ? `&cursor=${cursor}` : ''}`;
    const { body } = await service.get<Page<TimelineEvent>>(staff, path);
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual([5, 2, 4, 1, 6, 3, 0].map((n) => `event-${n}`));
});
