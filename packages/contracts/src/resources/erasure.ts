import { z } from 'zod';
import { customerId, instant } from '../text.ts';
import { proposal } from './proposal.ts';
import { retentionPlace } from './retention.ts';

/** `GET /ops/customers/:id/erasure`: what was proposed, and, when it has taken effect, what shows that it was done. */
export const erasure = z
  .object({
    customer_id: customerId,
    proposal: proposal.nullable().meta({ description: 'The newest; null: nobody ever proposed it' }),
    certificate: z
      .object({
        aliases: z.array(customerId).meta({ description: 'Other ids of theirs, which went along' }),
        proposed_by: z.string(),
        proposed_at: instant,
        confirmed_by: z.string().nullable(),
        erased_at: instant.meta({ description: 'From then on nobody sees or changes anything of them' }),
        places: z.array(retentionPlace).meta({ description: 'How many rows were erased of what, in each service' }),
        completed_at: instant.nullable().meta({
          description: 'When every service had said that it finds nothing more; null: they are at it',
        }),
        digest: z.string().nullable().meta({
          description:
            'SHA-256 of all this, written down in who changed what as well, of which no row can be changed unseen',
        }),
      })
      .nullable(),
  })
  .meta({ id: 'Erasure', description: 'Nothing in it is of the person' });
export type Erasure = z.infer<typeof erasure>;
export type Certificate = NonNullable<Erasure['certificate']>;
