import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RenewalStanding } from '@ops/contracts/internal-routes';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import {
  type Alerts,
  alertsAt,
  cardOf,
  deliveryOf,
  type Outreach,
  type Triggered,
  triggered,
} from '../../test/alerts.ts';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';
import { startTestService, type TestService } from '../../test/service.ts';
import { readOvertaking } from './overtaking-service.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'agents', 'sends', 'outbox');
  desk.customers(cardOf());
  desk.renewals(undefined);
});

/** An alert at 30 whose e-mail failed: the id of that. */
async function failed(alert: Triggered): Promise<string> {
  await alerts.planAll(alert);
  const id = (await alerts.sends()).find(({ type }) => type === 'EMAIL')?.send_id ?? '';
  await alerts.hear(deliveryOf({ communication_id: id, status: 'FAILED' }));
  return id;
}
const ask = (id: string) => readOvertaking(desk.deps, desk.db, id);

test('an alert that is the newest about its date is not overtaken, nor is what is no alert', async () => {
  const id = await failed(triggered());
  expect(await ask(id)).toBeNull();
  desk.renewals(() => 'away');
  expect(await ask(uuidv7())).toBeNull();
  await expect(ask(id)).rejects.toMatchObject({ status: 503 });
});

test('overtaken by a tighter one about the same date, whatever came of that', async () => {
  const alert = triggered();
  const id = await failed(alert);
  desk.customers(cardOf({ do_not_contact: true }));
  await alerts.planAll({ ...alert, rung: '14' });
  expect(await ask(id)).toEqual({
    message: 'The more urgent alert 14 about the same date took its place',
    newest_alert: { renewal_id: alert.renewal_id, rung: '14', due_date: '2026-03-31', days_until_due: 30 },
  });
});

test.each<[string, Partial<RenewalStanding>, RegExp]>([
  ['completed', { status: 'COMPLETED' }, /was completed/],
  ['cancelled', { status: 'CANCELLED' }, /was cancelled/],
  ['moved', { due_date: '2027-03-31' }, /is due on 2027-03-31 now/],
])('overtaken when its renewal is %s, before notifier heard of it', async (_, standing, message) => {
  const id = await failed(triggered());
  desk.renewals(() => standing);
  expect(await ask(id)).toEqual({ message: expect.stringMatching(message), newest_alert: null });
});

test('moved to a date about which another alert has fired: that one is to be sent', async () => {
  const alert = triggered();
  const id = await failed(alert);
  await alerts.planAll({ ...alert, due_date: '2026-03-11', rung: '14', version: 2 });
  expect(await ask(id)).toMatchObject({
    newest_alert: { rung: '14', due_date: '2026-03-11', days_until_due: 10 },
  });
});

const step = (alert: Triggered, name: string, does: Outreach['does']): Outreach => ({ ...alert, step: name, does });

test.each<[string, Outreach['does'], string]>([
  ['a later message', { channels: ['EMAIL'], task: null }, 'A later message of this alert took its place'],
  ['the call', { channels: [], task: 'NORMAL' }, 'By now somebody is to call the customer about it'],
  ['a message and a call', { channels: ['SMS'], task: 'NORMAL' }, 'A later message of this alert took its place'],
])('overtaken by %s that followed it, which says which', async (_, does, message) => {
  const alert = triggered({ rung: '60', due_date: '2026-04-20', days_until_due: 50 });
  const id = await failed(alert);
  await alerts.planAgain(step(alert, '1', does));
  expect(await ask(id)).toMatchObject({ message, newest_alert: { rung: '60', days_until_due: 50 } });
});

test('sent again by staff in the moment in which a tighter one is planned, it does not leave', async () => {
  const alert = triggered();
  const communication_id = await failed(alert);
  const sent = { communication_id, type: 'EMAIL', to: 'ada@example.com', automated: true } as const;
  await desk.queue(queuedMessage(sent));
  await desk.db('sends').update({ status: 'FAILED', message: null });
  await alerts.planAll({ ...alert, rung: '14' });
  await desk.queue(queuedMessage({ ...sent, attempt: 2 }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(desk.sent).toEqual([]);
  expect(await desk.send(communication_id)).toMatchObject({ status: 'CANCELLED', failure: { code: 'superseded' } });
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test('comms-service alone is told', async () => {
    const path = `/internal/communications/${uuidv7()}/overtaking`;
    const response = await service.asked('comms-service', path);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { overtaken: null },
    });
    for (const caller of ['renewals-service', 'webhook-ingest'] as const)
      expect((await service.asked(caller, path)).status).toBe(403);
  });
});
