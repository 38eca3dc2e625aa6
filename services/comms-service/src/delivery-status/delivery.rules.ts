import type { EventData } from '@ops/contracts/events';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Communication, CommunicationStatus, Failure } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { identifierAt, type OptOutRow, rowsOf, wantsNoMachines } from '../filing/opt-out.rules.ts';
import { isOutgoing } from '../records/communication-events.ts';

export type DeliveryUpdate = EventData<'delivery.updated'>;

/** How far an outbound record has come. */
export type DeliveryState = Pick<
  Communication,
  'status' | 'failure' | 'attempt' | 'provider' | 'provider_message_id' | 'send_after' | 'send_after_reason'
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
    ...later(state, update),
  };
}

/** It is only ever put off, so the order in which that is heard does not matter. */
function later(
  { send_after, send_after_reason }: DeliveryState,
  told: DeliveryUpdate,
): Pick<DeliveryState, 'send_after' | 'send_after_reason'> {
  const isPutOff = told.send_after && (send_after === null || Date.parse(told.send_after) > Date.parse(send_after));
  if (!isPutOff || !told.send_after) return { send_after, send_after_reason };
  return { send_after: told.send_after, send_after_reason: told.send_after_reason ?? null };
}

export const withoutDetail = (failure: Failure | null): Failure | null =>
  failure && { code: failure.code, message: failure.message };

export const isSame = (one: DeliveryState, other: DeliveryState): boolean =>
  looksSame(one, other) && one.provider === other.provider && one.provider_message_id === other.provider_message_id;

/** Whether both look the same to somebody who has the record on the screen. */
export const looksSame = (one: DeliveryState, other: DeliveryState): boolean =>
  one.status === other.status && one.send_after === other.send_after;

/** An attempt staff take for lost begins anew; whatever else was said of the record stays. */
export const retried = (record: Communication) => ({
  ...({ status: 'QUEUED', failure: null, send_after: null, send_after_reason: null } as const),
  attempt: (record.attempt ?? 0) + 1,
});

/** Nobody wrote it by hand: it may say by now what does not hold any more. */
export const isOfAlert = ({ automated, renewal_id }: Pick<Communication, 'automated' | 'renewal_id'>): boolean =>
  automated && renewal_id !== null;

/** Undefined when it may be sent again. */
export function reasonAgainstRetry(record: Pick<Communication, 'status' | 'redacted_at'>): string | undefined {
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

/** What whoever follows an alert hears of it. */
export const settling = (
  { id, customer_id, attempt, status, failure }: Communication,
  at: Date,
): EventData<'communication.settled'> => ({
  customer_id,
  occurred_at: at.toISOString(),
  communication_id: id,
  attempt: attempt ?? 1,
  status: status === 'SENT' ? 'SENT' : 'FAILED',
  failure,
});

/** Asked right before a sender acts: what holds now, not what held when the record was queued. */
export function permission(
  record: Communication,
  attempt: number,
  customer: Customer,
  addressee: Pick<SendPermission, 'to' | 'user_id' | 'window_open_until'>,
): SendPermission {
  const reachable = addressee.to ?? (record.type === 'MESSAGING_APP' ? addressee.user_id : null);
  const reason = reasonAgainstSending(record, attempt, customer, { ...addressee, reachable });
  return { may_send: reason === null, reason, ...addressee, time_zone: customer.time_zone };
}

function reasonAgainstSending(
  record: Communication,
  attempt: number,
  customer: Customer,
  addressee: Pick<SendPermission, 'to' | 'user_id'> & { reachable: string | null },
): Failure | null {
  if (!isOutgoing(record)) return refusal('type_refused', `${record.direction} ${record.type} is never sent`);
  if (record.attempt !== attempt || record.status !== 'QUEUED')
    return refusal('cancelled', 'It does not wait for this attempt any more');
  if (record.redacted_at !== null) return refusal('expired', 'Its content was removed by the retention policy');
  if (customer.do_not_contact) return refusal('do_not_contact', 'This customer is not to be contacted');
  if (record.automated && wantsNoMachines(customer, record.type, addressee))
    return refusal('opted_out', 'The customer asked for no automated messages on this channel');
  if (addressee.reachable === null) return refusal('no_recipient', 'The customer has no address on this channel');
  if (record.attachments.some(({ state }) => state !== 'STORED'))
    return refusal('attachment_missing', 'A file that belongs to it is not there');
  return null;
}

const refusal = (code: string, message: string): Failure => ({ code, message });

/** The provider refuses our messages to this address: that is what its owner told them. */
export function unsubscribedBy(update: DeliveryUpdate, channel: Communication['type'] | undefined): OptOutRow[] {
  const { attempt_id: id, communication_id, customer_id, occurred_at: decided_at, unsubscribed } = update;
  if (unsubscribed === undefined || channel === undefined) return [];
  const decision = {
    id,
    communication_id,
    customer_id,
    channel,
    opted_out: true,
    source: 'provider',
    decided_at,
  } as const;
  return rowsOf(decision, identifierAt(channel, unsubscribed));
}
