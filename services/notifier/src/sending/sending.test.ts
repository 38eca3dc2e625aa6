import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { allowed, type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const minutes = (count: number) => count * 60_000;
const busy = { kind: 'not_taken', reason: 'HTTP 429' } as const;
const lost = { kind: 'uncertain', reason: 'ECONNRESET' } as const;

test('what is queued is sent once under the id of its attempt, and told with the provider’s id', async () => {
  const message = queuedMessage({ subject: null });
  await desk.queue(message, message);
  await desk.queue(message);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  const { id } = await desk.send(message.communication_id);
  expect(desk.sent).toMatchObject([{ attemptId: id, message: { body: message.body, to: allowed.to, type: 'SMS' } }]);
  expect(await desk.told()).toEqual([
    {
      customer_id: 'C-1',
      communication_id: message.communication_id,
      attempt: 1,
      attempt_id: id,
      status: 'SENT',
      provider: 'twilio',
      provider_message_id: `SM-${id}`,
      failure: null,
      occurred_at: '2026-03-01T10:00:00.000Z',
    },
  ]);
});

test('the words are gone once they were sent', async () => {
  const message = queuedMessage();
  await desk.queue(message);
  await desk.worker.runOnce();
  expect(JSON.stringify(await desk.db('sends'))).not.toContain(message.body);
});

test('a chosen template is kept until it is sent; none, in what was queued before one could be chosen', async () => {
  const template = { name: 'general_note', language: 'en' };
  await desk.queue(queuedMessage({ template }), queuedMessage({ template: null }), queuedMessage());
  for (let taken = 1; taken > 0; ) ({ taken } = await desk.worker.runOnce());
  expect(desk.sent.map(({ message }) => message.template)).toEqual([template, null, null]);
});

test('a second attempt is another send', async () => {
  const message = queuedMessage();
  await desk.queue(message);
  await desk.worker.runOnce();
  await desk.queue({ ...message, attempt: 2 });
  await desk.worker.runOnce();
  expect(new Set(desk.sent.map(({ attemptId }) => attemptId)).size).toBe(2);
  expect((await desk.told()).map(({ attempt }) => attempt)).toEqual([1, 2]);
});

test('what is to be sent later waits until then', async () => {
  const message = queuedMessage({ send_after: '2026-03-01T18:00:00.000Z' });
  await desk.queue(message);
  desk.passMs(minutes(479));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(minutes(1));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});

test('what was not taken is tried again after its pause, and after the last try it has expired', async () => {
  const message = queuedMessage();
  desk.next(busy, busy, busy);
  await desk.queue(message);
  await desk.worker.runOnce();
  desk.passMs(9_999);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(1);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  desk.passMs(60_000);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  desk.passMs(minutes(600));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await desk.told()).toMatchObject([{ status: 'FAILED', failure: { code: 'expired' } }]);
  expect(await desk.db('send_tries').orderBy('number').select('number', 'outcome', 'reason')).toEqual(
    [1, 2, 3].map((number) => ({ number, outcome: 'not_taken', reason: 'HTTP 429' })),
  );
});

test.each([0, 1_000])('a provider that says to come again in %i ms is given the usual pause', async (retryAfterMs) => {
  desk.next({ ...busy, retryAfterMs });
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  desk.passMs(9_999);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(1);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});

test('the provider says when to come again', async () => {
  desk.next({ ...busy, retryAfterMs: 300_000 });
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  desk.passMs(299_999);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(1);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});

test('a provider that asks for longer than a message keeps has refused it', async () => {
  desk.next({ ...busy, retryAfterMs: minutes(721) });
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  expect(await desk.told()).toMatchObject([{ status: 'FAILED', failure: { code: 'expired' } }]);
});

test.each([
  [lost, 'UNCERTAIN', 'uncertain'],
  [{ kind: 'refused', code: 'twilio:21610', message: 'Unsubscribed' } as const, 'FAILED', 'twilio:21610'],
])('%j ends it, and it is not tried again', async (outcome, status, code) => {
  desk.next(outcome);
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  desk.passMs(minutes(600));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await desk.told()).toMatchObject([{ status, failure: { code } }]);
});

test('a sender that throws leaves it uncertain', async () => {
  desk.next(() => Promise.reject(new TypeError('a bug')));
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  expect(await desk.told()).toMatchObject([{ status: 'UNCERTAIN' }]);
});

test.each([
  ['opted_out', 'FAILED'],
  ['do_not_contact', 'FAILED'],
  ['cancelled', 'CANCELLED'],
])('comms-service has the last word: %s', async (code, status) => {
  desk.maySend(() => ({ ...allowed, may_send: false, reason: { code, message: 'No' } }));
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  expect(desk.sent).toEqual([]);
  expect(await desk.told()).toMatchObject([{ status, failure: { code, message: 'No' } }]);
});

test('the recipient is the one of now, not of when it was queued', async () => {
  desk.maySend(() => ({ ...allowed, to: '+447700900999', window_open_until: '2026-03-01T12:00:00Z' }));
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  expect(desk.sent).toMatchObject([{ message: { to: '+447700900999', window_open_until: '2026-03-01T12:00:00Z' } }]);
});

test('while comms-service is away nothing is sent, and no try is counted', async () => {
  desk.maySend(() => 'away');
  const message = queuedMessage();
  await desk.queue(message);
  for (let n = 0; n < 10; n++) {
    await desk.worker.runOnce();
    desk.passMs(4_000);
  }
  expect(await desk.send(message.communication_id)).toMatchObject({ status: 'QUEUED', tries: 0 });
  desk.maySend(() => allowed);
  await desk.worker.runOnce();
  expect(await desk.told()).toMatchObject([{ status: 'SENT' }]);
});

test('while comms-service is away it is not asked for one message after the other', async () => {
  desk.maySend(() => 'away');
  await desk.queue(queuedMessage());
  await desk.worker.runOnce();
  await desk.queue(queuedMessage({ customer_id: 'C-2' }));
  desk.passMs(999);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  desk.passMs(1);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});

test('of one that comms-service cannot say, the others do not wait', async () => {
  desk.maySend(() => 404);
  const unknown = queuedMessage();
  await desk.queue(unknown);
  await desk.worker.runOnce();
  desk.maySend(() => allowed);
  await desk.queue(queuedMessage({ customer_id: 'C-2' }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(await desk.send(unknown.communication_id)).toMatchObject({ status: 'QUEUED', tries: 0 });
});

test('a channel nobody configured says so', async () => {
  await desk.queue(queuedMessage({ type: 'MESSAGING_APP' }));
  await desk.worker.runOnce();
  expect(await desk.told()).toMatchObject([
    { status: 'FAILED', provider: 'cloud-api', failure: { code: 'not_configured' } },
  ]);
});

const mailWithFile = () =>
  queuedMessage({
    type: 'EMAIL',
    to: 'ada@example.com',
    subject: 'Permit',
    attachments: [
      { id: '0197a3f0-0000-7000-8000-000000000001', name: 'permit.pdf', media_type: 'application/pdf', size: 6 },
    ],
  });

test('files are fetched right before they are sent', async () => {
  desk.file(() => Buffer.from('of now'));
  await desk.queue(mailWithFile());
  await desk.worker.runOnce();
  expect(desk.sent[0]?.message.attachments).toEqual([
    { name: 'permit.pdf', media_type: 'application/pdf', content: Buffer.from('of now') },
  ]);
});

test.each([404, 410])(
  'a file that is gone (%i) stops the message; one that cannot be had now does not',
  async (gone) => {
    desk.file(() => 503);
    await desk.queue(mailWithFile());
    await desk.worker.runOnce();
    expect(await desk.told()).toEqual([]);
    desk.passMs(4_000);
    desk.file(() => gone);
    await desk.worker.runOnce();
    expect(await desk.told()).toMatchObject([{ status: 'FAILED', failure: { code: 'attachment_missing' } }]);
    expect(desk.sent).toEqual([]);
  },
);

test('a message waits for the one before it to the same customer on the same channel, also while that is retried', async () => {
  const [first, second] = [queuedMessage(), queuedMessage()];
  const others = [queuedMessage({ customer_id: 'C-2' }), queuedMessage({ type: 'EMAIL', to: 'ada@example.com' })];
  desk.next(busy);
  await desk.queue(first);
  await desk.worker.runOnce();
  await desk.queue(second, ...others);
  expect(await desk.worker.runOnce()).toEqual({ taken: 2 });
  desk.passMs(10_000);
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  const words = desk.sent.map(({ message }) => message.body).filter((body) => [first.body, second.body].includes(body));
  expect(words).toEqual([first.body, first.body, second.body]);
});

test('what is put off to a later hour holds up nothing before then', async () => {
  await desk.queue(queuedMessage({ send_after: '2026-03-01T18:00:00.000Z' }), queuedMessage());
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
});

test('what waits too long has expired', async () => {
  desk.maySend(() => 'away');
  const late = queuedMessage({ send_after: '2026-03-02T10:00:00.000Z' });
  await desk.queue(queuedMessage(), late);
  desk.passMs(minutes(720));
  desk.maySend(() => allowed);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 1 });
  expect(await desk.told()).toMatchObject([{ status: 'FAILED', failure: { code: 'expired' } }]);
  expect(await desk.send(late.communication_id)).toMatchObject({ status: 'QUEUED' });
});
