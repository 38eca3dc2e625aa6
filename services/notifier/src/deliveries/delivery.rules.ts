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

export interface Delivery {
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

/** Something heard of a delivery, by whichever way and in whatever order it comes. */
export interface News {
  status: Told['status'];
  failure: Failure | null;
  provider_message_id: string | null;
  at: Date;
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

export function hear<D extends Delivery>(delivery: D, news: News): D {
  const rises = rank[news.status] > rank[delivery.status];
  return {
    ...delivery,
    ...(rises && { status: news.status, failure: news.failure }),
    provider_message_id: delivery.provider_message_id ?? news.provider_message_id,
    told: delivery.told.includes(news.status) ? delivery.told : [...delivery.told, news.status],
  };
}

/** Others are told each status once, also one that changes nothing any more: it belongs to the history. */
export const isNews = (delivery: Delivery, news: News): boolean => !delivery.told.includes(news.status);

export const deliveryUpdated = (delivery: Delivery, news: News): Told => ({
  customer_id: delivery.customer_id,
  occurred_at: news.at.toISOString(),
  communication_id: delivery.communication_id,
  attempt: delivery.attempt,
  attempt_id: delivery.id,
  status: news.status,
  provider: delivery.provider,
  provider_message_id: delivery.provider_message_id,
  failure: news.failure,
});

export const deliveryPutOff = (delivery: Delivery, until: Date, at: Date): Told => ({
  ...deliveryUpdated(delivery, { status: 'QUEUED', failure: null, provider_message_id: null, at }),
  send_after: until.toISOString(),
});
