import type { EventData } from '@ops/contracts/events';
import type { AwaitedAlerts, CustomerCard } from '@ops/contracts/internal-routes';
import { bareCustomer } from '@ops/contracts/test/customer';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { lookAtAlerts } from '../src/planning/ends-service.ts';
import { followRenewals } from '../src/planning/following-service.ts';
import { foreseeAlerts } from '../src/planning/foreseeing-service.ts';
import { learnDeliveries, learnSettled } from '../src/planning/learning-service.ts';
import { finishRuns, writeLetters } from '../src/planning/letter-service.ts';
import type { Carrier } from '../src/planning/planning.rules.ts';
import { planAlerts } from '../src/planning/planning-service.ts';
import { type Desk, eventOf } from './desk.ts';

export type Triggered = EventData<'RENEWAL_TRIGGERED'>;
export type Outreach = EventData<'renewal.outreach'>;
export type Changed = EventData<'renewal.changed'>;
export type Send = EventData<'communication.send'>;
export type Planned = EventData<'alert.planned'>;

export const cardOf = (given: Partial<CustomerCard> = {}): CustomerCard => ({
  id: 'C-1',
  ...bareCustomer,
  merged: null,
  phones: ['+447700900123'],
  emails: ['ada@example.com'],
  ...given,
});

export const triggered = (given: Partial<Triggered> = {}): Triggered => ({
  customer_id: 'C-1',
  renewal_id: uuidv7(),
  occurred_at: '2026-03-01T02:00:00.000Z',
  service_type: 'RESIDENCE_PERMIT',
  service_label: 'Residence permit',
  service_labels: { de: 'Aufenthaltstitel' },
  due_date: '2026-03-31',
  rung: '30',
  days_until_due: 30,
  superseded: [],
  silent: false,
  version: 1,
  assigned_agent: null,
  reminders: 'on',
  hold: null,
  number: null,
  run_id: null,
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
  hold: null,
  successor_id: null,
  change: 'changed',
  ...given,
});

export const completed = (alert: Triggered, given: Partial<Changed> = {}): Changed =>
  changed(alert, { status: 'COMPLETED', change: 'completed', ...given });

export const triggeredEvent = (data: Triggered) => eventOf('RENEWAL_TRIGGERED', data.customer_id, data);
const outreachEvent = (data: Outreach) => eventOf('renewal.outreach', data.customer_id, data);
export const changedEvent = (data: Changed) => eventOf('renewal.changed', data.customer_id, data);

/** comms-service said no to this message, right before it was to leave. */
export interface Refusal {
  communication_id: string;
  code: string;
}

export type Delivery = EventData<'delivery.updated'>;

/** What sending tells of a message. */
export const deliveryOf = (given: Pick<Delivery, 'communication_id' | 'status'> & Partial<Delivery>): Delivery => ({
  customer_id: 'C-1',
  occurred_at: '2026-03-01T10:00:00.000Z',
  attempt: 1,
  attempt_id: uuidv7(),
  provider: 'smtp',
  provider_message_id: null,
  failure: given.status === 'FAILED' ? { code: 'smtp:550', message: 'No such mailbox' } : null,
  ...given,
});

const refusalOf = ({ communication_id, code }: Refusal) =>
  deliveryOf({ communication_id, status: 'FAILED', failure: { code, message: `comms-service says ${code}` } });

export const deliveryEvent = (data: Delivery) => eventOf('delivery.updated', data.customer_id, data);

export const carriers: readonly Carrier[] = ['messaging', 'email', 'task'];

/** The consumers' work without a broker. */
export function alertsAt(desk: Desk) {
  const plan = (carrier: Carrier, ...alerts: Triggered[]) =>
    inTransaction(desk.db, (trx) => planAlerts(desk.deps, trx, carrier, alerts.map(triggeredEvent)));
  const hear = (...news: Delivery[]) =>
    inTransaction(desk.db, (trx) => learnDeliveries(desk.deps, trx, news.map(deliveryEvent)));
  const outbox = async (type: string) =>
    (await desk.db('outbox').where({ type }).orderBy('id')).map(({ event }) => event.data);
  return {
    plan,
    planAll: async (...alerts: Triggered[]) => {
      for (const carrier of carriers) await plan(carrier, ...alerts);
    },
    /** One more message of alerts that fired before. */
    planAgain: async (...more: Outreach[]) => {
      for (const carrier of carriers)
        await inTransaction(desk.db, (trx) => planAlerts(desk.deps, trx, carrier, more.map(outreachEvent)));
    },
    follow: (...changes: Changed[]) =>
      inTransaction(desk.db, (trx) => followRenewals(desk.deps, trx, changes.map(changedEvent))),
    hear,
    /** A refresh is over that told of so many. */
    finish: (run_id: string, alerts: number) =>
      inTransaction(desk.db, (trx) =>
        finishRuns(desk.deps, trx, [
          eventOf('refresh.finished', run_id, {
            run_id,
            alerts,
            as_of: '2026-03-01',
            status: 'COMPLETED',
            occurred_at: '2026-03-01T02:00:01.000Z',
          }),
        ]),
      ),
    writeLetters: () => writeLetters(desk.deps, desk.db),
    settle: (...settled: EventData<'communication.settled'>[]) =>
      inTransaction(desk.db, (trx) =>
        learnSettled(
          desk.deps,
          trx,
          settled.map((data) => eventOf('communication.settled', data.customer_id, data)),
        ),
      ),
    lookAgain: () => lookAtAlerts(desk.deps, desk.db),
    refuse: (...refusals: Refusal[]) => hear(...refusals.map(refusalOf)),
    sends: (): Promise<Send[]> => outbox('communication.send'),
    outcomes: (): Promise<Planned[]> => outbox('alert.planned'),
    foresee: (...awaited: AwaitedAlerts[]) => foreseeAlerts(desk.deps, desk.db, awaited),
    deliveryNews: (): Promise<EventData<'delivery.updated'>[]> => outbox('delivery.updated'),
    taskNews: (): Promise<EventData<'task.changed'>[]> => outbox('task.changed'),
    tasks: (): Promise<Record<string, unknown>[]> => desk.db('tasks').orderBy('created_at').orderBy('id'),
  };
}
export type Alerts = ReturnType<typeof alertsAt>;
