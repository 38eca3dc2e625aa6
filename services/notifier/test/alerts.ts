import type { Envelope } from '@ops/contracts/envelope';
import type { EventData } from '@ops/contracts/events';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { followRenewals } from '../src/planning/following-service.ts';
import type { Carrier } from '../src/planning/planning.rules.ts';
import { planAlerts } from '../src/planning/planning-service.ts';
import { replaceRefused } from '../src/planning/stand-in-service.ts';
import { type Desk, eventOf } from './desk.ts';

export type Triggered = EventData<'RENEWAL_TRIGGERED'>;
export type Changed = EventData<'renewal.changed'>;
export type Send = EventData<'communication.send'>;
export type Planned = EventData<'alert.planned'>;

export const cardOf = (given: Partial<CustomerCard> = {}): CustomerCard => ({
  id: 'C-1',
  name: 'Ada Demo',
  phones: ['+447700900123'],
  emails: ['ada@example.com'],
  user_ids: [],
  opted_out: [],
  locale: null,
  time_zone: null,
  assigned_agent: null,
  preferred_channel: null,
  do_not_contact: false,
  ...given,
});

export const triggered = (given: Partial<Triggered> = {}): Triggered => ({
  customer_id: 'C-1',
  renewal_id: uuidv7(),
  occurred_at: '2026-03-01T02:00:00.000Z',
  service_type: 'RESIDENCE_PERMIT',
  service_label: 'Residence permit',
  due_date: '2026-03-31',
  rung: '30',
  days_until_due: 30,
  superseded: [],
  version: 1,
  assigned_agent: null,
  reminders: 'on',
  ...given,
});

/** What follows on what was told of it when it fired. */
export const changed = (
  { customer_id, renewal_id, service_type, due_date, assigned_agent, reminders, version }: Triggered,
  given: Partial<Changed> = {},
): Changed => ({
  customer_id,
  renewal_id,
  service_type,
  due_date,
  assigned_agent,
  reminders,
  version: version + 1,
  occurred_at: '2026-03-01T09:00:00.000Z',
  status: 'UPCOMING',
  policy_id: null,
  successor_id: null,
  change: 'changed',
  ...given,
});

export const completed = (alert: Triggered, given: Partial<Changed> = {}): Changed =>
  changed(alert, { status: 'COMPLETED', change: 'completed', ...given });

export const triggeredEvent = (data: Triggered): Envelope => eventOf('RENEWAL_TRIGGERED', data.customer_id, data);
export const changedEvent = (data: Changed): Envelope => eventOf('renewal.changed', data.customer_id, data);

/** comms-service said no to this message, right before it was to leave. */
export interface Refusal {
  communication_id: string;
  code: string;
}

const refusalEvent = ({ communication_id, code }: Refusal): Envelope =>
  eventOf('delivery.updated', 'C-1', {
    customer_id: 'C-1',
    occurred_at: '2026-03-01T10:00:00.000Z',
    communication_id,
    attempt: 1,
    attempt_id: uuidv7(),
    provider: 'smtp',
    provider_message_id: null,
    status: 'FAILED',
    failure: { code, message: `comms-service says ${code}` },
  });

export const carriers: readonly Carrier[] = ['messaging', 'email', 'task'];

/** The consumers' work without a broker. */
export function alertsAt(desk: Desk) {
  const plan = (carrier: Carrier, ...alerts: Triggered[]) =>
    inTransaction(desk.db, (trx) => planAlerts(desk.deps, trx, carrier, alerts.map(triggeredEvent)));
  const outbox = async (type: string) =>
    (await desk.db('outbox').where({ type }).orderBy('id')).map(({ event }) => event.data);
  return {
    plan,
    planAll: async (...alerts: Triggered[]) => {
      for (const carrier of carriers) await plan(carrier, ...alerts);
    },
    follow: (...changes: Changed[]) =>
      inTransaction(desk.db, (trx) => followRenewals(desk.deps, trx, changes.map(changedEvent))),
    refuse: (...refusals: Refusal[]) =>
      inTransaction(desk.db, (trx) => replaceRefused(desk.deps, trx, refusals.map(refusalEvent))),
    sends: (): Promise<Send[]> => outbox('communication.send'),
    outcomes: (): Promise<Planned[]> => outbox('alert.planned'),
    deliveryNews: (): Promise<EventData<'delivery.updated'>[]> => outbox('delivery.updated'),
    taskNews: (): Promise<EventData<'task.changed'>[]> => outbox('task.changed'),
    tasks: (): Promise<Record<string, unknown>[]> => desk.db('tasks').orderBy('created_at').orderBy('id'),
  };
}
export type Alerts = ReturnType<typeof alertsAt>;
