import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant } from '../text.ts';

/** The timeline events of the specification. */
export const timelineEventType = z.enum(['COMMUNICATION_RECEIVED', 'RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED']);

export const timelineEvent = z
  .object({
    id: z.string().meta({ description: 'Id of the event that wrote the line' }),
    customer_id: customerId,
    type: timelineEventType,
    occurred_at: instant,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What a screen needs for a line; never a message body' }),
  })
  .meta({ id: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof timelineEvent>;

export const timelinePage = pageOf(timelineEvent).meta({ id: 'TimelinePage' });
export const timelineQuery = z.strictObject(pageQuery);
