import type { Outbox } from '@ops/bus/outbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { CustomerCard } from '@ops/contracts/internal-routes';

/** What comms-service is asked about customers; rejects with an InternalCallError. */
export interface Customers {
  /** Those of these that exist, in any order and number. */
  cards(ids: readonly string[]): Promise<CustomerCard[]>;
}

/** What the use cases need besides their transaction. The clock is here, so that a test can hold it still. */
export interface Deps {
  outbox: Outbox;
  now: () => Date;
  /** The business date: the firm's calendar at this moment. */
  today: () => PlainDate;
  customers: Customers;
}
