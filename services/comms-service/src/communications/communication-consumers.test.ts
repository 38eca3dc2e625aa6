import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
});
afterAll(() => service.close());

const planned = (data: EventData<'communication.send'>): Envelope => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'notifier',
  subject: 'C-1',
  time: data.occurred_at,
  type: 'communication.send',
  data: { ...data },
});

test('a planned message that falls due is logged and queued once, however often it is told', async () => {
  const renewals: [string, string] = [uuidv7(), uuidv7()];
  const data: EventData<'communication.send'> = {
    customer_id: 'C-1',
    occurred_at: '2030-01-01T00:00:00Z',
    send_id: uuidv7(),
    type: 'EMAIL',
    subject: 'Your permit',
    body: 'It expires soon.',
    renewal_id: renewals[0],
    renewal_ids: renewals,
    rung: '30',
    send_after: '2030-01-01T08:00:00.000Z',
    send_after_reason: { code: 'quiet_hours', message: 'quiet hours of the customer' },
  };
  await service.forgetEvents();
  await service.bus.publish([planned(data), planned(data)].map((event) => ({ event })));
  const record = await eventually(async () => {
    const { body } = await service.get<Page<Communication>>(staff, '/ops/customers/C-1/communications');
    expect(body.data).toHaveLength(1);
    return body.data[0];
  });
  expect(record).toMatchObject({
    id: data.send_id,
    status: 'QUEUED',
    attempt: 1,
    automated: true,
    author: null,
    renewal_id: data.renewal_id,
    renewal_ids: renewals,
    send_after: '2030-01-01T08:00:00.000000Z',
  });
  await eventually(async () =>
    expect(await service.db('inbox').where('queue', 'comms-service:communication:send')).toHaveLength(2),
  );
  const told = await service.events();
  expect(told.map(({ type }) => type)).toEqual(['communication.queued', 'communication.changed']);
  expect(told[0]?.data).toMatchObject({ to: 'ada@example.com', automated: true, renewal_id: data.renewal_id });
  expect(told[1]?.data).toMatchObject({ renewal_id: data.renewal_id, renewal_ids: renewals });
});
