import type { Outbox } from '@ops/bus/outbox';
import type { Agents } from '@ops/following/agent-client';
import type { CountryCode } from 'libphonenumber-js';

/** What the use cases need besides their transaction. The clock is here, so that a test can hold it still. */
export interface Deps {
  outbox: Outbox;
  now: () => Date;
  agents: Agents;
  /** Where a phone number without a country code belongs; none: such a number is refused. */
  phoneRegion: CountryCode | undefined;
  /** How many messages a program may send to one customer within an hour. */
  automatedSendsAnHour: number;
}
