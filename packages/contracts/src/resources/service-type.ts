import { z } from 'zod';
import { instant, languageTag, text } from '../text.ts';

/** What is renewed. One that is not in the list is accepted and shows by its code. */
export const renewalServiceType = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be 1-64 capital letters, digits or underscores, such as RESIDENCE_PERMIT')
  .meta({ description: 'Code of what is renewed, in capital letters', example: 'RESIDENCE_PERMIT' });

const renewalMonths = z
  .int()
  .min(1)
  .max(600)
  .nullable()
  .meta({ description: 'Length of the next term; null: completing one makes no next one by itself' });

const label = text(1, 100);
const mostLabels = 50;

const labels = z.record(languageTag, label).meta({
  description: 'By language: what messages in that language call it; in all others it is called by its `label`',
  example: { de: 'Aufenthaltstitel' },
});

export const serviceType = z
  .object({
    code: renewalServiceType,
    label: z.string(),
    labels,
    renewal_months: renewalMonths,
    listed: z.boolean().meta({ description: 'false: there are renewals of it, and nobody has described it yet' }),
    version: z.int().min(0),
    updated_at: instant.nullable(),
  })
  .meta({ id: 'ServiceType' });
export type ServiceType = z.infer<typeof serviceType>;

export const serviceTypeList = z.object({ data: z.array(serviceType) }).meta({ id: 'ServiceTypeList' });

export const putServiceType = z
  .strictObject({
    label,
    labels: labels
      .refine((given) => Object.keys(given).length <= mostLabels, `must be at most ${mostLabels}`)
      .optional()
      .meta({ description: 'Left out: they stay as they are' }),
    renewal_months: renewalMonths,
  })
  .meta({ id: 'PutServiceType' });
export type PutServiceType = z.infer<typeof putServiceType>;
