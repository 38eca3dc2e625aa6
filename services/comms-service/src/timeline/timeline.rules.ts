import type { EventOf } from '@ops/contracts/events';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';

/** A line of the timeline as it is written; a record that is refiled takes its line along. */
export interface TimelineLine {
  event_id: string;
  customer_id: string;
  /** The id that who tells of it made it under; the record's own counts before. */
  written_under: string | null;
  type: TimelineEvent['type'];
  occurred_at: string;
  communication_id: string | null;
  data: Record<string, unknown>;
}

/** The line an event writes. What the contract does not name was left out of its data: no message body can slip in. */
export function lineOf({ id: event_id, type, data: told }: EventOf<TimelineEvent['type']>): TimelineLine {
  const {
    customer_id,
    occurred_at,
    written_under = null,
    ...data
  } = told as typeof told & { written_under?: string | null };
  const communication_id = 'communication_id' in data ? data.communication_id : null;
  return { event_id, customer_id, written_under, type, occurred_at, communication_id, data };
}
