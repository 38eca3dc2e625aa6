import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { flag, instant, recordId } from '../text.ts';
import { communicationType } from './communication.ts';

/** What is kept for a set time: each type of communication, raw provider payloads, and the rows services work with. */
export const retentionSubject = z.enum([...communicationType.options, 'RAW_WEBHOOK_PAYLOAD', 'SERVICE_ROW']);
export type RetentionSubject = z.infer<typeof retentionSubject>;

const days = z.int().min(1).max(36_500);

const keepDays = z.strictObject(
  Object.fromEntries(retentionSubject.options.map((subject) => [subject, days])) as Record<
    RetentionSubject,
    typeof days
  >,
);

/** Days everything is kept; `SERVICE_ROW` stands for published events, inbox rows, replayed dead letters and unused uploads. */
export const retentionPolicy = z
  .object({
    keep_days: keepDays,
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'RetentionPolicy' });
export type RetentionPolicy = z.infer<typeof retentionPolicy>;

export const putRetention = z
  .strictObject({ keep_days: keepDays.partial() })
  .meta({ id: 'PutRetention', description: 'What is left out keeps its time' });
export type PutRetention = z.infer<typeof putRetention>;

/** One place where content lies, and how many rows of it are past their time. */
export const retentionPlace = z.object({
  service: z.string(),
  place: z.string().meta({ description: 'Such as `communications` or `dead_letters`' }),
  rows: z.int().min(0),
});
export type RetentionPlace = z.infer<typeof retentionPlace>;

export const retentionRun = z
  .object({
    id: recordId,
    dry_run: z.boolean(),
    started_by: z.string().nullable().meta({ description: 'null: it was the nightly run' }),
    status: z
      .enum(['completed', 'failed'])
      .meta({ description: 'Failed: a service could not be reached; the next run makes up for it' }),
    as_of: instant,
    places: z.array(retentionPlace),
    failure: z.string().nullable(),
    finished_at: instant,
  })
  .meta({ id: 'RetentionRun' });
export type RetentionRun = z.infer<typeof retentionRun>;

export const runRetentionQuery = z.strictObject({ dry_run: flag.prefault('false') });
export const retentionRunPage = pageOf(retentionRun).meta({ id: 'RetentionRunPage' });
export const retentionRunQuery = z.strictObject(pageQuery);
