import type { Outbox } from '@ops/bus/outbox';
import type { RenewalStanding, SendPermission } from '@ops/contracts/internal-routes';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Customers } from '@ops/following/customer-client';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Logger } from '@ops/service-kit/logger';
import type { InTurn } from '@ops/service-kit/turns';
import type { Sender } from './senders/sender.ts';
import type { RetryPolicy } from './sending/try.rules.ts';

/** What comms-service is asked, right before it is needed. All reject with an InternalCallError. */
export interface Comms extends Customers {
  maySend(communicationId: string, attempt: number): Promise<SendPermission>;
  file(attachmentId: string): Promise<Buffer>;
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
  /** For what a night brings: one after the other, and with rests while people are there. */
  inBulk: InTurn;
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

/** From the second attempt on a person had it sent again. */
export interface Attempted {
  communication_id: string;
  attempt: number;
}

/** Messages that nobody wrote by hand are guarded by what had them sent, which sending knows nothing of. */
export interface Guard {
  /** Of messages that come to be sent those it guards: why each is not to leave, or null. None of that changes until `trx` ends. */
  queued(trx: Trx, messages: readonly Attempted[]): Promise<ReadonlyMap<string, Failure | null>>;
  /** Asked right before a try, of each by itself. Undefined: it does not guard this one. Rejected with an InternalCallError. */
  beforeTry(db: Db, messages: readonly Attempted[]): Promise<PromiseSettledResult<Guarded | undefined>[]>;
}

export interface PutOff {
  at: Date;
  reason: Failure;
}

export interface Guarded {
  /** Why it is not to leave. */
  stop: Failure | null;
  /** When it may leave, if not now, and why then. `ownZone` is the customer's. */
  notBefore(ownZone: string | null): PutOff | null;
  /** Taken before its send is put off: whoever stops the message takes the same. */
  lock(trx: Trx): Promise<void>;
  tellPutOff(trx: Trx, until: PutOff): Promise<void>;
  tellStopped(trx: Trx): Promise<void>;
}

export interface SendingDeps extends Deps {
  guard: Guard;
}
