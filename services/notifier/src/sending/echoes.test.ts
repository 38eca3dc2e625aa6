import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { EventData } from '@ops/contracts/events';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { type Desk, eventOf, openDesk, receiptOf } from '../../test/desk.ts';
import { followEchoes } from './echo-service.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const echoed = (): EventData<'communication.echoed'> => ({
  customer_id: 'C-1',
  occurred_at: '2026-03-01T10:00:00Z',
  communication_id: uuidv7(),
  type: 'MESSAGING_APP',
  provider: 'cloud-api',
  provider_message_id: 'wamid.1',
});
const follow = (data: EventData<'communication.echoed'>) =>
  inTransaction(desk.db, (trx) => followEchoes(desk.deps, trx, [eventOf('communication.echoed', 'C-1', data)]));
const receipt = (status: 'SENT' | 'DELIVERED' | 'READ') =>
  receiptOf({ provider: 'cloud-api', external_id: 'wamid.1', status });

test('receipts for what staff sent by themselves are told, whether they come later or came before', async () => {
  const echo = echoed();
  await desk.receive(receipt('SENT'), receipt('DELIVERED'));
  await follow(echo);
  await desk.receive(receipt('READ'));
  const of = {
    communication_id: echo.communication_id,
    customer_id: 'C-1',
    attempt: 1,
    provider_message_id: 'wamid.1',
  };
  expect(await desk.told()).toMatchObject([
    { ...of, status: 'DELIVERED' },
    { ...of, status: 'READ' },
  ]);
});

test('it is sent by nobody, and one that is linked anew is known', async () => {
  const echo = echoed();
  await follow(echo);
  await desk.receive(receipt('READ'));
  await follow({ ...echo, customer_id: 'C-2' });
  await desk.worker.runOnce();
  await desk.sweep();
  expect(desk.sent).toEqual([]);
  expect(await desk.told()).toMatchObject([{ status: 'READ' }]);
});
