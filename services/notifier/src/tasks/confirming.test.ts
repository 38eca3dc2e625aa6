import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EventData } from '@ops/contracts/events';
import { inTransaction } from '@ops/service-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { alertsAt, changed, triggered } from '../../test/alerts.ts';
import { type Desk, eventOf, openDesk } from '../../test/desk.ts';
import { askToConfirm } from './task-service.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(() => emptyTables(desk.db, 'followed_renewals', 'followed_customers', 'tasks', 'agents', 'outbox'));

type Ended = EventData<'renewal.source_ended'>;
const alert = triggered({ rung: '14' });

const ended = (more: Partial<Ended> = {}) =>
  inTransaction(desk.db, (trx) => {
    const { customer_id, renewal_id, service_type, due_date, service_label } = alert;
    const about = { customer_id, renewal_id, service_type, due_date, service_label, assigned_agent: 'of-renewal' };
    const source: Ended['source'] = { kind: 'policy', id: 'P-1' };
    const data = { ...about, source, cancelled: true, occurred_at: desk.deps.now().toISOString(), ...more };
    return askToConfirm(desk.deps, trx, [eventOf('renewal.source_ended', customer_id, data)]);
  });

test('what was cancelled by its end is confirmed with the customer, today, and outlasts its renewal', async () => {
  await ended();
  await alertsAt(desk).follow(changed(alert, { status: 'CANCELLED', change: 'cancelled', version: 2 }));
  expect(await alertsAt(desk).tasks()).toMatchObject([
    {
      title: 'Confirm with the customer: policy P-1 was cancelled',
      renewal_id: null,
      priority: 'NORMAL',
      status: 'OPEN',
      assigned_agent: 'of-renewal',
      due_date: desk.deps.today(),
    },
  ]);
});

test('of a permit that was withdrawn it is urgent', async () => {
  await ended({ source: { kind: 'residence_permit', id: 'R-1' } });
  expect(await alertsAt(desk).tasks()).toMatchObject([
    { title: 'Confirm with the customer: residence permit R-1 was withdrawn', priority: 'URGENT' },
  ]);
});

test('what goes on has its task beside it, which is closed with it', async () => {
  await ended({ cancelled: false });
  const task = { renewal_id: alert.renewal_id, priority: 'NORMAL', status: 'OPEN', rung: null };
  expect(await alertsAt(desk).tasks()).toMatchObject([task]);
  await alertsAt(desk).follow(changed(alert, { status: 'CANCELLED', change: 'cancelled', version: 2 }));
  expect(await alertsAt(desk).tasks()).toMatchObject([{ ...task, status: 'CANCELLED' }]);
});
