import { z } from 'zod';
import { rung } from './resources/renewal.ts';
import { plainDate, recordId } from './text.ts';

/** RFC 9457 problem details: every error of every process has this shape. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    newest_alert: z
      .object({ renewal_id: recordId.optional(), rung, due_date: plainDate, days_until_due: z.int() })
      .optional()
      .meta({
        description:
          'Of `overtaken`: the alert to be sent today, if any has fired about the present date, and which renewal of those ' +
          'that the message names it is of',
      }),
    renewal_id: recordId.optional().meta({ description: 'Of `already_watched`: the renewal that is there' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details' });
export type Problem = z.infer<typeof problem>;
export type FieldError = NonNullable<Problem['errors']>[number];
