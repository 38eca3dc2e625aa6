import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, completed, type Triggered, triggered } from '../../test/alerts.ts';
import { allowed, type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox');
  desk.customers(cardOf());
  desk.maySend(() => allowed);
  desk.sent.length = 0;
  desk.renewals(undefined);
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const busy = { kind: 'not_taken', reason: '421' } as const;

/** The clock of the firm, whose zone is UTC, shows that time next. */
function passUntil(time: string): void {
  const now = desk.deps.now().getTime();
  const at = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${time}Z`);
  desk.passMs((at - now + dayMs) % dayMs);
}

const clock = () => desk.deps.now().toISOString().slice(11, 19);
const morning = () => expect.stringMatching(/T08:00:00.000Z$/);

/** One alert by e-mail, as comms-service would queue it. */
async function plannedMail(alert: Triggered = triggered()) {
  await alerts.plan('email', alert);
  const [send] = await alerts.sends();
  if (!send) throw new Error('nothing was planned');
  const { send_id: communication_id, renewal_id, send_after } = send;
  return queuedMessage({
    communication_id,
    renewal_id,
    send_after,
    automated: true,
    type: 'EMAIL',
    to: 'ada@example.com',
  });
}

const news = async () => (await alerts.deliveryNews()).map(({ status, failure }) => failure?.code ?? status);

test('tried into the evening, it goes on in the morning', async () => {
  passUntil('19:59:30');
  await desk.queue(await plannedMail());
  desk.next(busy, busy);
  await desk.worker.runOnce();
  passUntil('19:59:40');
  await desk.worker.runOnce();
  passUntil('20:00:57');
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(2);
  passUntil('07:59:59');
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  passUntil('08:00:00');
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(3);
  expect(await desk.db('send_tries')).toHaveLength(3);
});

test('the evening is that of the customer, as comms-service knows them by then', async () => {
  passUntil('14:30:00');
  await desk.queue(await plannedMail());
  desk.maySend(() => ({ ...allowed, time_zone: 'Asia/Tashkent' }));
  passUntil('15:00:00');
  await desk.worker.runOnce();
  expect(desk.sent).toEqual([]);
  passUntil('03:00:00');
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(1);
});

test('held up into the evening while renewals-service was away, it waits for the morning', async () => {
  passUntil('18:00:00');
  await desk.queue(await plannedMail());
  desk.renewals(() => 'away');
  await desk.worker.runOnce();
  desk.renewals(undefined);
  passUntil('22:00:00');
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(desk.sent).toEqual([]);
  passUntil('08:00:00');
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(1);
});

test('queued late, it waits for the morning, and both logs tell until when', async () => {
  passUntil('19:00:00');
  const mail = await plannedMail();
  passUntil('21:00:00');
  await desk.queue(mail);
  await desk.worker.runOnce();
  const { id: attempt_id } = await desk.send(mail.communication_id);
  expect(await alerts.deliveryNews()).toEqual([
    expect.objectContaining({
      communication_id: mail.communication_id,
      attempt: 1,
      attempt_id,
      provider: 'smtp',
      status: 'QUEUED',
      send_after: morning(),
      failure: null,
      provider_message_id: null,
    }),
  ]);
  expect(await alerts.outcomes()).toMatchObject([
    { channel: 'EMAIL', outcome: 'planned', send_after: null },
    { channel: 'EMAIL', outcome: 'planned', send_after: morning(), communication_id: mail.communication_id },
  ]);
});

test('what people and other machines write is not held, nor held up by an alert that is', async () => {
  passUntil('19:00:00');
  const mail = await plannedMail();
  passUntil('21:00:00');
  const others = [{ automated: false }, { automated: true }].map((one) => queuedMessage({ ...one, type: 'EMAIL' }));
  await desk.queue(mail, ...others);
  for (let turn = 0; turn < 3; turn++) await desk.worker.runOnce();
  expect(desk.sent.map(({ message }) => message.body)).toEqual(others.map(({ body }) => body));
  expect(clock()).toBe('21:00:00');
});

test('completed while it waits for the morning: it never leaves', async () => {
  passUntil('19:00:00');
  const alert = triggered();
  const mail = await plannedMail(alert);
  passUntil('21:00:00');
  await desk.queue(mail);
  await desk.worker.runOnce();
  await alerts.follow(completed(alert));
  passUntil('08:00:00');
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await news()).toEqual(['QUEUED', 'renewal_completed']);
  expect((await alerts.outcomes()).map(({ outcome }) => outcome)).toEqual(['planned', 'planned', 'cancelled']);
});

test('completed while comms-service is asked: nobody is told afterwards that it waits', async () => {
  passUntil('19:00:00');
  const alert = triggered();
  const mail = await plannedMail(alert);
  passUntil('21:00:00');
  await desk.queue(mail);
  const { comms } = desk.deps;
  desk.deps.comms = { ...comms, maySend: () => alerts.follow(completed(alert)).then(() => allowed) };
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  desk.deps.comms = comms;
  expect(await news()).toEqual(['renewal_completed']);
  expect((await alerts.outcomes()).map(({ outcome }) => outcome)).toEqual(['planned', 'cancelled']);
});

test('planned for a morning on which nobody was there, it goes when somebody is', async () => {
  passUntil('02:00:00');
  const mail = await plannedMail();
  expect(mail.send_after).toEqual(morning());
  await desk.queue(mail);
  desk.passMs(3 * dayMs);
  passUntil('09:00:00');
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 0 });
  await desk.worker.runOnce();
  expect(await news()).toEqual(['SENT']);
});

test('it is tried for its hours from the first try on', async () => {
  passUntil('08:00:00');
  await desk.queue(await plannedMail());
  desk.next(busy);
  desk.passMs(dayMs);
  await desk.worker.runOnce();
  desk.passMs(desk.deps.expiresAfterMs - 1);
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 0 });
  desk.passMs(1);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 1 });
  expect(await news()).toEqual(['expired']);
});

test('the night does not count', async () => {
  passUntil('19:59:00');
  await desk.queue(await plannedMail());
  desk.next(busy);
  await desk.worker.runOnce();
  passUntil('20:00:00');
  await desk.worker.runOnce();
  passUntil('19:58:59');
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 0 });
  passUntil('19:59:00');
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 1 });
});

test('a message somebody wrote keeps from when it was to leave, tried or not', async () => {
  const mail = queuedMessage({ type: 'EMAIL', to: 'ada@example.com' });
  await desk.queue(mail);
  desk.passMs(desk.deps.expiresAfterMs);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await desk.sweep()).toEqual({ interrupted: 0, expired: 1 });
  expect(await news()).toEqual(['expired']);
});
