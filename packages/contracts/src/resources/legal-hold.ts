import { z } from 'zod';
import { customerId, instant, text } from '../text.ts';

/** `PUT /ops/customers/:id/legal-hold` */
export const setLegalHold = z
  .strictObject({
    on: z.boolean(),
    reason: text(1, 500).meta({ description: 'Why it is so from now on; of a hold that ends too' }),
  })
  .meta({ id: 'SetLegalHold' });
export type SetLegalHold = z.infer<typeof setLegalHold>;

/** While it is on, nothing of the customer is removed: neither when its time has come, nor by an erasure. */
export const legalHold = z
  .object({
    customer_id: customerId,
    on: z.boolean(),
    reason: z.string().nullable(),
    by: z.string().nullable().meta({ description: 'Who of the staff' }),
    since: instant.nullable(),
  })
  .meta({ id: 'LegalHold' });
export type LegalHold = z.infer<typeof legalHold>;
