import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { createTestSchema } from '../test/schema.ts';
import { customerChanged, outbox } from './conformance/events.ts';
import { EventTooLargeError } from './errors.ts';
import { createOutbox, type NewEvent } from './outbox.ts';
import { currentTrace } from './trace.ts';

let schema: Awaited<ReturnType<typeof createTestSchema>>;
beforeAll(async () => {
  schema = await createTestSchema();
});
afterAll(() => schema.drop());
beforeEach(() => emptyTables(schema.db, 'outbox'));

const add = (event: NewEvent) => schema.db.transaction((trx) => outbox.add(trx, event));

test('an event exists exactly when its change does', async () => {
  const undone = schema.db.transaction(async (trx) => {
    await outbox.add(trx, customerChanged('C-1', 1));
    throw new Error('the use case failed');
  });
  await expect(undone).rejects.toThrow('the use case failed');
  expect(await schema.db('outbox')).toEqual([]);
});

test('it becomes a CloudEvent about its customer, carrying the trace on', async () => {
  const trace = { requestId: 'request-1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const occurredAt = new Date('2030-01-02T03:04:05Z');
  const event = await currentTrace.run(trace, () => add({ ...customerChanged('C-1', 1), occurredAt }));
  expect(event).toMatchObject({
    specversion: '1.0',
    source: 'comms-service',
    type: 'customer.changed',
    subject: 'C-1',
    time: '2030-01-02T03:04:05.000Z',
    traceparent: trace.traceparent,
    requestid: 'request-1',
  });
  const [row] = await schema.db('outbox');
  expect(row).toMatchObject({ event_id: event.id, type: 'customer.changed', queue: null, event });
});

test('an event that follows from another belongs to its trace', async () => {
  const cause = { id: 'cause', traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` } as Envelope;
  const event = await add({ ...customerChanged('C-1', 1), cause });
  expect(event).toMatchObject({ traceparent: cause.traceparent, requestid: 'cause' });
});

test('what another system told is passed on as it came, with the trace it came by', async () => {
  const told: Envelope = {
    specversion: '1.0',
    id: '17',
    source: '/policies',
    type: 'policy.issued',
    subject: 'P-1',
    time: '2030-01-02T03:04:05.000001+01:00',
    data: { policy_id: 'P-1', premium: 12 },
  };
  const trace = { requestId: 'request-1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const passOn = (event: Envelope) => schema.db.transaction((trx) => outbox.passOn(trx, event));
  await currentTrace.run(trace, () => passOn(told));
  await passOn({ ...told, traceparent: 'its own' });
  expect(await schema.db('outbox').orderBy('id')).toMatchObject([
    {
      event_id: '17',
      type: told.type,
      queue: null,
      event: { ...told, traceparent: trace.traceparent, requestid: 'request-1' },
    },
    { event: { ...told, traceparent: 'its own' } },
  ]);
  await expect(passOn({ ...told, type: 'customer.changed' })).rejects.toThrow(/customer.changed/);
  await expect(passOn({ ...told, type: 'constructor' })).rejects.toThrow(/constructor/);
  await expect(passOn({ ...told, data: { note: 'x'.repeat(1024 * 1024) } })).rejects.toBeInstanceOf(EventTooLargeError);
});

test('many are kept in the order given', async () => {
  const events = Array.from({ length: 300 }, (_, n) => customerChanged('C-1', n + 1));
  await schema.db.transaction((trx) => outbox.addMany(trx, events));
  const rows = await schema.db('outbox').orderBy('id');
  expect(rows.map(({ event }) => event.data.version)).toEqual(events.map(({ data }) => data.version));
});

test('a producer that is wrong fails its own transaction', async () => {
  const { data } = customerChanged('C-1', 1);
  await expect(add({ type: 'customer.changed', data: { ...data, nickname: 'x' } as never })).rejects.toThrow(
    /nickname/,
  );
  await expect(add({ type: 'customer.changed', data: { ...data, version: 'x' } as never })).rejects.toThrow(/version/);
  const other = createOutbox('notifier');
  await expect(schema.db.transaction((trx) => other.add(trx, customerChanged('C-1', 1)))).rejects.toThrow(
    /comms-service/,
  );
  await expect(add(customerChanged('C-1', 1, 'x'.repeat(1024 * 1024)))).rejects.toBeInstanceOf(EventTooLargeError);
  expect(await schema.db('outbox')).toEqual([]);
});
