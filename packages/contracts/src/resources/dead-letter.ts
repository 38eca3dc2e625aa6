import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { flag, instant, recordId } from '../text.ts';

export const deadLetter = z
  .object({
    id: recordId,
    queue: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    subject: z.string(),
    attempts: z.int().min(0),
    error: z.string(),
    failed_at: instant,
    replayed_at: instant.nullable(),
  })
  .meta({ id: 'DeadLetter', description: 'A message a consumer gave up on; its content stays in the service' });
export type DeadLetter = z.infer<typeof deadLetter>;

export const deadLetterPage = pageOf(deadLetter).meta({ id: 'DeadLetterPage' });
export const deadLetterQuery = z.strictObject({
  replayed: flag.prefault('false').meta({ description: 'Those already replayed instead of those waiting' }),
  ...pageQuery,
});
