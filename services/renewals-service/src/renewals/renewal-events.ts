import type { NewEvent } from '@ops/bus/outbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { type Audited, audit } from '@ops/service-kit/auditing';
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
      written_under: stored.written_under,
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

/** Others hear of it, and who did it is written down. `before`: as they were, those that were there. */
export async function announce(
  { outbox, today }: Deps,
  trx: Trx,
  change: Told,
  stored: readonly StoredRenewal[],
  before: readonly StoredRenewal[],
): Promise<void> {
  await outbox.addMany(
    trx,
    stored.map((one) => renewalChanged(one, change, today())),
  );
  const factsOf = (one: StoredRenewal) => auditedOf(toRenewal(one, today()));
  const were = new Map(before.map((one) => [one.id, factsOf(one)]));
  const audited = stored.map((one): Audited => {
    const subject = { kind: 'renewal' as const, id: one.id, customer_id: one.customer_id };
    return { subject, before: were.get(one.id), after: factsOf(one) };
  });
  await audit(trx, ...audited);
}

/** What people change, and not what follows from it. */
const auditedOf = ({ service_type, due_date, status, policy_id, notes, ...rest }: ReturnType<typeof toRenewal>) => {
  const { assigned_agent, reminders, hold, acknowledged, started_at, cancelled_because } = rest;
  const set = { service_type, due_date, status, policy_id, notes, assigned_agent, reminders };
  return { ...set, hold, acknowledged, started_at, cancelled_because };
};
