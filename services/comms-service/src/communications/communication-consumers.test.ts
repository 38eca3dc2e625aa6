import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData, EventOf } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { deps } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { logPlanned } from './planned-service.ts';

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

/** Logs them in one batch. */
const logAll = (...events: Envelope[]) =>
  inTransaction(service.db, (trx) => logPlanned(deps, trx, events as EventOf<'communication.send'>[]));

const message = (given: Partial<EventData<'communication.send'>>): EventData<'communication.send'> => ({
  customer_id: 'C-1',
  occurred_at: '2030-01-01T00:00:00Z',
  send_id: uuidv7(),
  type: 'EMAIL',
  subject: 'Your permit',
  body: 'It expires soon.',
  renewal_id: uuidv7(),
  renewal_ids: [],
  rung: '30',
  send_after: null,
  send_after_reason: null,
  ...given,
});

test('a planned message that falls due is logged and queued once, however often it is told', async () => {
  const renewals: [string, string] = [uuidv7(), uuidv7()];
  const data = message({
    renewal_id: renewals[0],
    renewal_ids: renewals,
    send_after: '2030-01-01T08:00:00.000Z',
    send_after_reason: { code: 'quiet_hours', message: 'quiet hours of the customer' },
  });
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

test('what falls due at once is logged and queued together: each to its own customer, by its own trace, in its order', async () => {
  const phone = '+447700900533';
  await service.put(staff, '/ops/customers/C-2', { name: 'Grace Demo', phones: [phone] });
  await service.put(staff, '/ops/customers/C-3', { name: 'G. Demo', emails: ['grace@example.com'] });
  await service.post(staff, '/ops/customers/C-3/merge', { into: 'C-2' });
  const text = { customer_id: 'C-2', type: 'MESSAGING_APP', subject: null } as const;
  const sends = [
    message({}),
    message(text),
    message({ customer_id: 'C-2' }),
    message({ customer_id: 'C-3' }),
    message(text),
  ];
  const events = sends.map((data, n) => ({ ...planned(data), requestid: `night-${n}` }));
  await service.forgetEvents();
  await logAll(...events, ...events.slice(1, 3));
  const told = await service.events();
  expect(
    told.map(({ type, requestid, data }) => `${type} ${requestid} ${data.communication_id} ${data.to ?? ''}`),
  ).toEqual(
    sends.flatMap(({ send_id }, n) => [
      `communication.queued night-${n} ${send_id} ${['ada@example.com', phone, 'grace@example.com', 'grace@example.com', phone][n]}`,
      `communication.changed night-${n} ${send_id} `,
    ]),
  );
  const records = await service
    .db('communications')
    .whereIn(
      'id',
      sends.map(({ send_id }) => send_id),
    )
    .orderBy('id');
  expect(records.map(({ customer_id, written_under }) => [customer_id, written_under])).toEqual([
    ['C-1', null],
    ['C-2', null],
    ['C-2', 'C-3'],
    ['C-2', 'C-3'],
    ['C-2', null],
  ]);
  await logAll(...events);
  expect(await service.events()).toHaveLength(told.length);
});

test('one for a customer nobody knows costs the others of its batch nothing', async () => {
  const [known, unknown] = [message({}), message({ customer_id: 'C-nobody' })];
  await service.bus.publish([known, unknown].map((data) => ({ event: planned(data) })));
  await eventually(async () =>
    expect(await service.db('communications').where({ id: known.send_id }).select('status')).toEqual([
      { status: 'QUEUED' },
    ]),
  );
  expect(await service.db('communications').where({ id: unknown.send_id })).toEqual([]);
});
