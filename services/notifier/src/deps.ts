import type { Outbox } from '@ops/bus/outbox';
import type { CustomerCard, RenewalStanding, SendPermission } from '@ops/contracts/internal-routes';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Logger } from '@ops/service-kit/logger';
import type { RetryPolicy } from './deliveries/attempt.ts';
import type { Sender } from './senders/sender.ts';

/** What comms-service is asked, right before it is needed. All reject with an InternalCallError. */
export interface Comms {
  maySend(communicationId: string, attempt: number): Promise<SendPermission>;
  file(attachmentId: string): Promise<Buffer>;
  /** Who does not exist is left out. 200 at most. */
  cards(customerIds: readonly string[]): Promise<CustomerCard[]>;
}

/** What renewals-service is asked; rejects with an InternalCallError. */
export interface Renewals {
  standing(renewalId: string): Promise<RenewalStanding>;
}

/** What the use cases need besides their transaction. Clock, chance and transport are here, so that a test can hold them. */
export interface Deps {
  outbox: Outbox;
  now: () => Date;
  /** The firm's business date, and the zone of customers whose own nobody knows. */
  today: () => string;
  timeZone: string;
  /** From 0 to 1. */
  random: () => number;
  logger: Logger;
  comms: Comms;
  renewals: Renewals;
  /** A channel nobody configured has none. */
  senders: Partial<Record<OutsideType, Sender>>;
  retry: RetryPolicy;
  /** Counted from when it was to be sent; of an alert, from its first try. */
  expiresAfterMs: number;
  /** Longer than any send takes: after that its worker is taken for dead. */
  leaseMs: number;
}
