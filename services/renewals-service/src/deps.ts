import type { Outbox } from '@ops/bus/outbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { Agents } from '@ops/following/agent-client';
import type { Customers } from '@ops/following/customer-client';

/** What the use cases need besides their transaction. The clock is here, so that a test can hold it still. */
export interface Deps {
  outbox: Outbox;
  now: () => Date;
  /** The business date: the firm's calendar at this moment. */
  today: () => PlainDate;
  /** What that calendar showed at a moment. */
  dateAt: (moment: Date) => PlainDate;
  customers: Customers;
  agents: Agents;
}
