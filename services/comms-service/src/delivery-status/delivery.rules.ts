import type { EventData } from '@ops/contracts/events';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type {
  Communication,
  CommunicationStatus,
  Failure,
  PatchCommunication,
} from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { laterThan } from '../communications/communication.rules.ts';
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
  status: 'QUEUED' as const,
  failure: null,
  send_after: null,
  send_after_reason: null,
  settled: null,
  attempt: (record.attempt ?? 0) + 1,
});

/** Nobody wrote it, not even another system: it may say by now what does not hold any more. */
export const isOfAlert = ({
  author,
  automated,
  renewal_id,
}: Pick<Communication, 'author' | 'automated' | 'renewal_id'>): boolean =>
  automated && author === null && renewal_id !== null;

/** Undefined when it may be sent again. */
export function reasonAgainstRetry(record: Pick<Communication, 'status' | 'redacted_at'>): string | undefined {
  if (record.status !== 'FAILED') return `Only a FAILED communication is sent again; this one is ${record.status}`;
  if (record.redacted_at !== null) return 'Its content was removed by the retention policy';
  return undefined;
}

/** Why it can be neither called back nor changed; undefined when it can. */
export function reasonAgainstChange(record: Communication, isLeaving: boolean): string | undefined {
  if (record.direction !== 'OUTBOUND' || record.status !== 'QUEUED')
    return `It has left, or is over: only a QUEUED communication is changed or called back; this one is ${record.status}`;
  if (isOfAlert(record)) return 'It is of an alert: hold or end its renewal, and it does not leave';
  return isLeaving ? 'It is on its way to its provider, who is asked until there is an answer' : undefined;
}

/** Asked for anew, so that whoever holds the words of before sends them no more. */
export function changed(record: Communication, patch: PatchCommunication, now: Date) {
  const { body = record.body, subject = record.subject } = patch;
  const send_after =
    patch.send_after === undefined ? record.send_after : patch.send_after && laterThan(now, patch.send_after);
  return { body, subject, send_after, send_after_reason: null, attempt: (record.attempt ?? 0) + 1 };
}

export const calledBack = {
  status: 'CANCELLED' as const,
  failure: { code: 'called_back', message: 'It was called back before it left' },
};

/** Undefined when it can be settled. */
export const reasonAgainstSettling = ({ status }: Pick<Communication, 'status'>): string | undefined =>
  status === 'FAILED' ? undefined : `Only a FAILED communication is settled otherwise; this one is ${status}`;

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

const refusal = (code: string, message: string): Failure => ({ code, message });

export const notWaiting = refusal('cancelled', 'It does not wait for this attempt any more');

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
  if (record.attempt !== attempt || record.status !== 'QUEUED') return notWaiting;
  if (record.redacted_at !== null) return refusal('expired', 'Its content was removed by the retention policy');
  if (customer.do_not_contact) return refusal('do_not_contact', 'This customer is not to be contacted');
  if (record.automated && wantsNoMachines(customer, record.type, addressee))
    return refusal('opted_out', 'The customer asked for no automated messages on this channel');
  if (addressee.reachable === null) return refusal('no_recipient', 'The customer has no address on this channel');
  if (record.attachments.some(({ state }) => state !== 'STORED'))
    return refusal('attachment_missing', 'A file that belongs to it is not there');
  return null;
}

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
