import type { EventData } from '@ops/contracts/events';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Communication, CommunicationStatus, Failure } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { isOutgoing } from '../records/communication-events.ts';

export type DeliveryUpdate = EventData<'delivery.updated'>;

/** How far an outbound record has come. */
export type DeliveryState = Pick<
  Communication,
  'status' | 'failure' | 'attempt' | 'provider' | 'provider_message_id' | 'send_after'
>;

/**
 * What was heard of one attempt, from the weakest to the strongest: its status is the strongest so far, in whatever
 * order it was heard. A late SENT says nothing against a failure; that it was delivered or read is proof of arrival.
 */
const strength: readonly CommunicationStatus[] = [
  'QUEUED',
  'CANCELLED',
  'UNCERTAIN',
  'SENT',
  'FAILED',
  'DELIVERED',
  'READ',
];

/** What is heard of an attempt before the current one is history, and changes nothing. */
export function hear(state: DeliveryState, update: DeliveryUpdate): DeliveryState {
  if (update.attempt !== state.attempt) return state;
  const moved = strength.indexOf(update.status) > strength.indexOf(state.status);
  return {
    ...state,
    ...(moved && { status: update.status, failure: update.failure }),
    provider: update.provider,
    provider_message_id: update.provider_message_id ?? state.provider_message_id,
    send_after: later(state.send_after, update.send_after ?? null),
  };
}

/** It is only ever put off, so the order in which that is heard does not matter. */
function later(known: string | null, told: string | null): string | null {
  if (known === null || told === null) return known ?? told;
  return Date.parse(told) > Date.parse(known) ? told : known;
}

export const isSame = (one: DeliveryState, other: DeliveryState): boolean =>
  looksSame(one, other) && one.provider === other.provider && one.provider_message_id === other.provider_message_id;

/** To somebody who has it on the screen. */
export const looksSame = (one: DeliveryState, other: DeliveryState): boolean =>
  one.status === other.status && one.send_after === other.send_after;

/** An attempt staff take for lost begins anew; whatever else was said of the record stays. */
export const retried = (record: Communication) => ({
  ...({ status: 'QUEUED', failure: null, send_after: null } as const),
  attempt: (record.attempt ?? 0) + 1,
});

/** Undefined when it may be sent again. */
export function reasonAgainstRetry(record: Communication): string | undefined {
  if (record.status !== 'FAILED') return `Only a FAILED communication is sent again; this one is ${record.status}`;
  if (record.redacted_at !== null) return 'Its content was removed by the retention policy';
  return undefined;
}

export type Outcome = 'sent' | 'failed';

/** A receipt that comes later still counts: it is stronger than what somebody found out by asking. */
export const settled = (outcome: Outcome): Pick<DeliveryState, 'status' | 'failure'> =>
  outcome === 'sent'
    ? { status: 'SENT', failure: null }
    : { status: 'FAILED', failure: { code: 'settled_as_failed', message: 'Staff found that it was not sent' } };

/** Asked right before a sender acts: what holds now, not what held when the record was queued. */
export function permission(
  record: Communication,
  attempt: number,
  customer: Customer,
  addressee: Pick<SendPermission, 'to' | 'user_id' | 'window_open_until'>,
): SendPermission {
  const reachable = addressee.to ?? (record.type === 'MESSAGING_APP' ? addressee.user_id : null);
  const reason = reasonAgainstSending(record, attempt, customer, reachable);
  return { may_send: reason === null, reason, ...addressee, time_zone: customer.time_zone };
}

function reasonAgainstSending(
  record: Communication,
  attempt: number,
  customer: Customer,
  reachable: string | null,
): Failure | null {
  if (!isOutgoing(record)) return refusal('type_refused', `${record.direction} ${record.type} is never sent`);
  if (record.attempt !== attempt || record.status !== 'QUEUED')
    return refusal('cancelled', 'It does not wait for this attempt any more');
  if (record.redacted_at !== null) return refusal('expired', 'Its content was removed by the retention policy');
  if (customer.do_not_contact) return refusal('do_not_contact', 'This customer is not to be contacted');
  if (record.automated && customer.opted_out.includes(record.type))
    return refusal('opted_out', 'The customer asked for no automated messages on this channel');
  if (reachable === null) return refusal('no_recipient', 'The customer has no address on this channel');
  if (record.attachments.some(({ state }) => state !== 'STORED'))
    return refusal('attachment_missing', 'A file that belongs to it is not there');
  return null;
}

const refusal = (code: string, message: string): Failure => ({ code, message });
