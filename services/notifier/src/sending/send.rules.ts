import type { EventData } from '@ops/contracts/events';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';

type Told = EventData<'delivery.updated'>;
type DeliveryStatus = Told['status'];

/** What waits to be sent: nothing of it is kept once it was. */
export type QueuedMessage = Pick<
  EventData<'communication.queued'>,
  | 'to'
  | 'user_id'
  | 'subject'
  | 'body'
  | 'attachments'
  | 'thread'
  | 'locale'
  | 'window_open_until'
  | 'template'
  | 'automated'
>;

export interface Send {
  /** The attempt's id. */
  id: string;
  communication_id: string;
  attempt: number;
  customer_id: string;
  type: OutsideType;
  provider: string;
  status: DeliveryStatus;
  failure: Failure | null;
  provider_message_id: string | null;
  told: Told['status'][];
  /** Why it is not to be tried again. */
  stop?: Failure | null;
}

/** Something heard of a send, by whichever way and in whatever order it comes. */
export interface News {
  status: Told['status'];
  failure: Failure | null;
  provider_message_id: string | null;
  at: Date;
  /** The provider refuses it since whoever has this address wants no more. */
  unsubscribed?: string | undefined;
}

/**
 * A status only ever rises. A late SENT says nothing against FAILED; DELIVERED is proof that it arrived after all.
 * CANCELLED is what nobody tried to send.
 */
const rank: Record<DeliveryStatus, number> = {
  QUEUED: 0,
  CANCELLED: 1,
  UNCERTAIN: 2,
  SENT: 3,
  FAILED: 4,
  DELIVERED: 5,
  READ: 6,
};

export function hear<D extends Send>(send: D, news: News): D {
  const rises = rank[news.status] > rank[send.status];
  return {
    ...send,
    ...(rises && { status: news.status, failure: news.failure }),
    provider_message_id: send.provider_message_id ?? news.provider_message_id,
    told: send.told.includes(news.status) ? send.told : [...send.told, news.status],
  };
}

/** Others are told each status once, also one that changes nothing any more: it belongs to the history. */
export const isNews = (send: Send, news: News): boolean => !send.told.includes(news.status);

export const deliveryUpdated = (send: Send, news: News): Told => ({
  customer_id: send.customer_id,
  occurred_at: news.at.toISOString(),
  communication_id: send.communication_id,
  attempt: send.attempt,
  attempt_id: send.id,
  status: news.status,
  provider: send.provider,
  provider_message_id: send.provider_message_id,
  failure: news.failure,
  unsubscribed: news.unsubscribed,
});

export const sendPutOff = (send: Send, until: { at: Date; reason: Failure }, at: Date): Told => ({
  ...deliveryUpdated(send, { status: 'QUEUED', failure: null, provider_message_id: null, at }),
  send_after: until.at.toISOString(),
  send_after_reason: until.reason,
});
