import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { instant, text } from '../text.ts';

/**
 * A CloudEvent of an upstream system, in structured mode; what it carries is looked at by its type. It may leave out, or
 * say null for, what the specification of CloudEvents does not ask for.
 */
export const upstreamEvent = envelope
  .extend({
    id: text(1, 200),
    source: text(1, 200),
    type: text(1, 100),
    subject: text(1, 200).nullish(),
    time: instant.nullish(),
    datacontenttype: z.literal('application/json').nullish(),
  })
  .meta({ id: 'UpstreamEvent' });
export type UpstreamEvent = z.infer<typeof upstreamEvent>;

export const upstreamEventOutcome = z
  .object({
    event_id: z.string(),
    outcome: z.enum(['created', 'moved', 'adopted', 'cancelled', 'unchanged', 'ignored']).meta({
      description:
        'Ignored: an older event than one known already, or about a term that is over. Unchanged, of one that ended: nothing was watched for it',
    }),
    renewal_id: z.string().nullable(),
  })
  .meta({ id: 'UpstreamEventOutcome' });
export type UpstreamEventOutcome = z.infer<typeof upstreamEventOutcome>;
