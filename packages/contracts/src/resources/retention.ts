import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { flag, instant, recordId } from '../text.ts';
import { type CommunicationType, communicationType } from './communication.ts';

/** What is kept for a set time: each type of communication, raw provider payloads, the rows services work with, who changed what. */
export const retentionSubject = z.enum([...communicationType.options, 'RAW_WEBHOOK_PAYLOAD', 'SERVICE_ROW', 'AUDIT']);
export type RetentionSubject = z.infer<typeof retentionSubject>;

/** Before when the messages of each type have had their time. */
export const messageTimes = ({ before }: { before: Record<RetentionSubject, string> }) =>
  Object.fromEntries(communicationType.options.map((type) => [type, before[type]])) as Record<
    CommunicationType,
    string
  >;

/** What was sent by mistake, and what nobody has looked at yet, can be made up for within it. */
const leastDays = 30;
/** Seven years; services can remove nothing younger, whatever they are asked. */
const leastAuditDays = 2557;
const days = z.int().max(36_500);

const daysOf = (least: number, leastAudit = least) => {
  const each = days.min(least, `must be at least ${least}: what is removed does not come back`);
  const audit = days.min(leastAudit, `must be at least ${leastAudit}: who changed what is kept for seven years`);
  return z.strictObject({
    ...(Object.fromEntries(retentionSubject.options.map((subject) => [subject, each])) as Record<
      RetentionSubject,
      typeof each
    >),
    AUDIT: audit,
  });
};

/** Days everything is kept; `SERVICE_ROW` stands for published events, inbox rows, replayed dead letters and unused uploads, `AUDIT` for who changed what. */
export const retentionPolicy = z
  .object({
    keep_days: daysOf(1).meta({ description: 'May be less than can be asked for, where it was set before' }),
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'RetentionPolicy' });
export type RetentionPolicy = z.infer<typeof retentionPolicy>;

export const putRetention = z
  .strictObject({ keep_days: daysOf(leastDays, leastAuditDays).partial() })
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
