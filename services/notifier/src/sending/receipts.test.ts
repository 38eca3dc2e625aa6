import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { allowed, type Desk, openDesk, queuedMessage, receiptOf, receivedEvent } from '../../test/desk.ts';
import { lockWaits } from '../../test/lock-waits.ts';
import type { Outcome } from '../senders/sender.ts';
import { matchReceipts } from './receipt-service.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const accepted = (providerMessageId: string | null): Outcome => ({ kind: 'accepted', providerMessageId });
const statuses = async () => (await desk.told()).map(({ status }) => status);

async function sendOne(outcome: Outcome = accepted('SM1')) {
  const message = queuedMessage();
  desk.next(outcome);
  await desk.queue(message);
  await desk.worker.runOnce();
  return desk.send(message.communication_id);
}

test('delivered and read are two receipts, both kept and both told', async () => {
  await sendOne();
  await desk.receive(receiptOf({ status: 'DELIVERED' }), receiptOf({ status: 'READ' }));
  expect(await statuses()).toEqual(['SENT', 'DELIVERED', 'READ']);
  expect(await desk.db('send_receipts').whereNotNull('send_id')).toHaveLength(2);
});

test('the same receipt again, at once or later, changes nothing', async () => {
  await sendOne();
  const receipt = receiptOf({ status: 'DELIVERED' });
  await desk.receive(receipt, receipt);
  await desk.receive(receipt);
  await desk.receive(receiptOf({ status: 'DELIVERED' }));
  expect(await statuses()).toEqual(['SENT', 'DELIVERED']);
  expect(await desk.db('send_receipts')).toHaveLength(2);
});

test('a late SENT is told and changes nothing; DELIVERED after FAILED proves that it arrived', async () => {
  const { communication_id } = await sendOne({ kind: 'uncertain', reason: 'ECONNRESET' });
  const attempt = await desk.send(communication_id as string);
  const of = (status: 'SENT' | 'FAILED' | 'DELIVERED', failure: { code: string; message: string } | null = null) =>
    receiptOf({ attempt_id: attempt.id as string, status, failure });
  await desk.receive(of('FAILED', { code: 'twilio:30005', message: 'Unknown destination' }));
  await desk.receive(of('SENT'));
  expect(await desk.send(communication_id as string)).toMatchObject({
    status: 'FAILED',
    failure: { code: 'twilio:30005' },
  });
  await desk.receive(of('DELIVERED'));
  expect(await desk.send(communication_id as string)).toMatchObject({ status: 'DELIVERED', failure: null });
  expect(await statuses()).toEqual(['UNCERTAIN', 'FAILED', 'SENT', 'DELIVERED']);
});

test('a receipt settles what was uncertain, and brings the provider’s id', async () => {
  const { id, communication_id } = await sendOne({ kind: 'uncertain', reason: 'no answer' });
  await desk.receive(receiptOf({ attempt_id: id as string, external_id: 'SM77', status: 'SENT' }));
  expect(await desk.told()).toMatchObject([
    { status: 'UNCERTAIN', provider_message_id: null },
    { status: 'SENT', provider_message_id: 'SM77', failure: null },
  ]);
  await desk.receive(receiptOf({ external_id: 'SM77', status: 'DELIVERED' }));
  expect(await desk.send(communication_id as string)).toMatchObject({ status: 'DELIVERED' });
});

test('receipts that come before the provider’s answer wait for it, and are told in the order they happened', async () => {
  await desk.receive(
    receiptOf({ status: 'DELIVERED', occurred_at: '2026-03-01T10:00:05Z' }),
    receiptOf({ status: 'SENT', occurred_at: '2026-03-01T10:00:04Z' }),
  );
  expect(await desk.told()).toEqual([]);
  await sendOne();
  expect(await statuses()).toEqual(['SENT', 'DELIVERED']);
});

test('a receipt that names the attempt is taken while the send is under way', async () => {
  const message = queuedMessage();
  desk.next(async () => {
    const { id } = await desk.send(message.communication_id);
    await desk.receive(receiptOf({ attempt_id: id as string, status: 'DELIVERED' }));
    return accepted('SM1');
  });
  await desk.queue(message);
  await desk.worker.runOnce();
  expect(await statuses()).toEqual(['DELIVERED', 'SENT']);
  expect(await desk.send(message.communication_id)).toMatchObject({ status: 'DELIVERED', on_wire_at: null });
});

test('what a receipt proves to have been sent is not sent again, though the provider had said no', async () => {
  const message = queuedMessage();
  desk.next({ kind: 'not_taken', reason: 'HTTP 429' });
  await desk.queue(message);
  await desk.worker.runOnce();
  const { id } = await desk.send(message.communication_id);
  await desk.receive(receiptOf({ attempt_id: id as string, status: 'SENT' }));
  desk.passMs(60_000);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(desk.sent).toHaveLength(1);
});

test('a receipt of another provider, or of nobody’s message, belongs to no send', async () => {
  const { id } = await sendOne();
  await desk.receive(receiptOf({ provider: 'cloud-api' }), receiptOf({ external_id: 'SM2', attempt_id: uuidv7() }));
  await desk.receive(receiptOf({ provider: 'cloud-api', attempt_id: id as string }));
  expect(await statuses()).toEqual(['SENT']);
  expect(await desk.db('send_receipts').whereNull('send_id')).toHaveLength(3);
});

describe('a mail server’s report', () => {
  async function mailTo(to: string) {
    const message = queuedMessage({ type: 'EMAIL' });
    desk.maySend(() => ({ ...allowed, to }));
    await desk.queue(message);
    return message.communication_id;
  }
  const bounce = (attempt: string, recipients?: string[]) =>
    receiptOf({ provider: 'smtp', external_id: 'mail-1', attempt_id: attempt, status: 'FAILED', recipients });

  test('counts if it is about whom we wrote to, however the address is written', async () => {
    const communication = await mailTo('Ada@XN--mller-kva.example');
    await desk.worker.runOnce();
    const { id } = await desk.send(communication);
    await desk.receive(bounce(id as string, ['other@example.com', 'ada@müller.example']));
    expect(await statuses()).toEqual(['SENT', 'FAILED']);
  });

  test('about somebody else it counts for nothing, before we hear that the mail was taken as after', async () => {
    const communication = await mailTo('ada@example.com');
    desk.next(async () => {
      const { id } = await desk.send(communication);
      await desk.receive(bounce(id as string, ['eve@evil.example']), bounce(id as string, []));
      return accepted('mail-1');
    });
    await desk.worker.runOnce();
    const { id } = await desk.send(communication);
    await desk.receive(bounce(id as string, ['eve@evil.example']));
    expect(await statuses()).toEqual(['SENT']);
    expect(await desk.db('send_receipts').whereNull('send_id')).toHaveLength(3);
  });
});

test('a failure the provider does not explain still has a reason', async () => {
  await sendOne();
  await desk.receive(receiptOf({ status: 'FAILED', failure: null }));
  expect((await desk.told())[1]).toMatchObject({ status: 'FAILED', failure: { code: 'not_delivered' } });
});

test('a receipt and the answer it belongs to never miss each other, however close they come', async () => {
  const messages = Array.from({ length: 40 }, (_, n) => queuedMessage({ customer_id: `C-${n}` }));
  desk.next(...messages.map((_, n) => async () => accepted(`SM-${n}`)));
  await desk.queue(...messages);
  const receipts = messages.map((_, n) => receiptOf({ external_id: `SM-${n}` }));
  await Promise.all([desk.worker.runOnce(), ...receipts.map((one) => desk.receive(one))]);
  expect(await desk.db('sends').whereNot({ status: 'DELIVERED' })).toEqual([]);
});

test('a receipt that is not committed yet when its answer is recorded is waited for', async () => {
  const message = queuedMessage();
  desk.next(accepted('SM1'));
  await desk.queue(message);
  const receiving = await desk.db.transaction();
  await matchReceipts(desk.deps, receiving, [receivedEvent(receiptOf({ external_id: 'SM1' }))]);
  const sending = desk.worker.runOnce();
  await Promise.race([sending, eventually(async () => expect(await lockWaits(desk.db)).toBe(1))]);
  await receiving.commit();
  await sending;
  expect(await statuses()).toEqual(['SENT', 'DELIVERED']);
});

test('an answer that is not committed yet when its receipt comes is waited for', async () => {
  const message = queuedMessage();
  const holding = await desk.db.transaction();
  desk.next(async () => {
    await holding.raw('SELECT FROM sends FOR UPDATE');
    return accepted('SM1');
  });
  await desk.queue(message);
  const sending = desk.worker.runOnce();
  await eventually(async () => expect(await lockWaits(desk.db)).toBe(1));
  const receiving = desk.receive(receiptOf({ external_id: 'SM1' }));
  await Promise.race([receiving, eventually(async () => expect(await lockWaits(desk.db)).toBe(2))]);
  await holding.commit();
  await Promise.all([sending, receiving]);
  expect(await statuses()).toEqual(['SENT', 'DELIVERED']);
});

test('whatever the order of answer, receipts and twins, the end is the same', async () => {
  const heard = fc.array(fc.constantFrom('SENT', 'FAILED', 'DELIVERED', 'READ' as const), { maxLength: 6 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(heard, fc.nat(6), async (all, early) => {
      const external_id = `SM-property-${count++}`;
      const receipts = all.map((status) => receiptOf({ external_id, status: status as 'SENT' }));
      for (const one of receipts.slice(0, early)) await desk.receive(one);
      const { communication_id } = await sendOne(accepted(external_id));
      await desk.receive(...receipts.slice(early), ...receipts);
      const highest = ['READ', 'DELIVERED', 'FAILED', 'SENT'].find(
        (one) => one === 'SENT' || all.includes(one as 'SENT'),
      );
      expect(await desk.send(communication_id as string)).toMatchObject({ status: highest });
      const told = (await desk.told()).filter((one) => one.communication_id === communication_id);
      expect(told.map(({ status }) => status).toSorted()).toEqual([...new Set(['SENT', ...all])].toSorted());
    }),
    { numRuns: 20 },
  );
});
