import { z } from 'zod';
import { instant, text } from '../text.ts';

/** A CloudEvent of an upstream system, in structured mode; what it carries is looked at by its type. */
export const upstreamEvent = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: text(1, 200),
    source: text(1, 500),
    type: text(1, 100),
    subject: text(1, 200).optional(),
    time: instant.optional(),
    datacontenttype: z.literal('application/json').optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'UpstreamEvent' });
export type UpstreamEvent = z.infer<typeof upstreamEvent>;

export const upstreamEventOutcome = z
  .object({
    event_id: z.string(),
    outcome: z.enum(['created', 'moved', 'adopted', 'unchanged', 'ignored']).meta({
      description: 'Ignored: an older event than one known already, or about a term that is closed',
    }),
    renewal_id: z.string().nullable(),
  })
  .meta({ id: 'UpstreamEventOutcome' });
export type UpstreamEventOutcome = z.infer<typeof upstreamEventOutcome>;
