import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import { type TimelineEvent, timelineEventType } from '@ops/contracts/resources/timeline';

/** A line of the timeline as it is written; a record that is refiled takes its line along. */
export interface TimelineLine {
  event_id: string;
  customer_id: string;
  type: TimelineEvent['type'];
  occurred_at: string;
  communication_id: string | null;
  data: Record<string, unknown>;
}

/** The line an event writes. Parsing drops what the contract does not name, so no message body can slip in. */
export function lineOf(event: Envelope): TimelineLine {
  const type = timelineEventType.parse(event.type);
  const { customer_id, occurred_at, ...data } = events[type].data.parse(event.data);
  const communication_id = 'communication_id' in data ? data.communication_id : null;
  return { event_id: event.id, customer_id, type, occurred_at, communication_id, data };
}
