import type { NewEvent } from '@ops/bus/outbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { type StoredRenewal, toRenewal } from './renewal.rules.ts';

export type Told = EventData<'renewal.changed'>['change'];

export function renewalChanged(stored: StoredRenewal, change: Told, today: PlainDate): NewEvent {
  const { id, customer_id, service_type, due_date, status, policy_id, assigned_agent, ...rest } = toRenewal(
    stored,
    today,
  );
  return {
    type: 'renewal.changed',
    data: {
      customer_id,
      service_type,
      due_date,
      status,
      policy_id,
      assigned_agent,
      change,
      reminders: rest.reminders,
      hold: rest.hold,
      successor_id: rest.successor_id,
      version: rest.version,
      occurred_at: rest.updated_at,
      renewal_id: id,
    },
  };
}

export const renewalCompleted = (stored: StoredRenewal, next: StoredRenewal | null): NewEvent => ({
  type: 'RENEWAL_COMPLETED',
  data: {
    customer_id: stored.customer_id,
    occurred_at: stored.closed_at ?? stored.updated_at,
    renewal_id: stored.id,
    service_type: stored.service_type,
    due_date: stored.due_date,
    next_renewal_id: next?.id ?? null,
    next_due_date: next?.due_date ?? null,
  },
});

export async function announce({ outbox, today }: Deps, trx: Trx, change: Told, stored: readonly StoredRenewal[]) {
  await outbox.addMany(
    trx,
    stored.map((one) => renewalChanged(one, change, today())),
  );
}
