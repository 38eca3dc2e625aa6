import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, plainDate, recordId } from '../text.ts';
import { deed } from './outreach.ts';
import { alertStep, hold, leavesThen, renewalStatus, rung } from './renewal.ts';

const refreshCounts = z.object({
  looked_at: z.int().min(0),
  fired: z.int().min(0),
  superseded: z.int().min(0),
  became_overdue: z.int().min(0),
  set_aside: z.int().min(0).meta({ description: 'Rows with an error, left to the next run' }),
  by_rung: z.partialRecord(rung, z.int().min(0)),
  outreach: z.int().min(0).default(0).meta({
    description: 'What went out besides, at rungs that had fired before: steps that follow, and what was owed',
  }),
});
export type RefreshCounts = z.infer<typeof refreshCounts>;

const runStatus = z.enum(['RUNNING', 'COMPLETED', 'FAILED', 'ABANDONED']);

export const refreshRun = z
  .object({
    run_id: recordId,
    as_of: plainDate,
    status: runStatus,
    started_by: z.string().nullable().meta({ description: 'null: it was the time of day' }),
    counts: refreshCounts,
    remaining: z.int().min(0).nullable().meta({ description: 'What is still to be looked at, while it runs' }),
    at_risk: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          'How many were at risk when it was completed, besides those it alerted, whose messages and tasks are on their way; ' +
          'null: it was not completed, or not by this version, or they could not be counted',
      }),
    failure: z.string().nullable(),
    started_at: instant,
    updated_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: 'RefreshRun' });
export type RefreshRun = z.infer<typeof refreshRun>;

const setAside = z.object({ renewal_id: recordId, customer_id: customerId, error: z.string() });

export const refreshRunDetail = refreshRun
  .extend({ set_aside: z.array(setAside).meta({ description: 'The first 200' }) })
  .meta({ id: 'RefreshRunDetail' });
export type RefreshRunDetail = z.infer<typeof refreshRunDetail>;

export const refreshRunPage = pageOf(refreshRun).meta({ id: 'RefreshRunPage' });
export const refreshRunsQuery = z.strictObject({ status: runStatus.optional(), ...pageQuery });
export type RefreshRunsQuery = z.infer<typeof refreshRunsQuery>;

/** One renewal as a refresh of that day would treat it, and why. */
const foreseen = z.object({
  renewal_id: recordId,
  customer_id: customerId,
  service_type: z.string(),
  due_date: plainDate,
  status: renewalStatus,
  days_until_due: z.int(),
  fires: rung.nullable(),
  superseded: z.array(rung),
  becomes_overdue: z.boolean(),
  because: z
    .enum([
      ...(['reached', 'reached_silently', 'not_reached', 'already_fired', 'superseded', 'closed'] as const),
      ...(['after_hold', 'customer_known', 'outreach'] as const),
    ])
    .meta({
      description:
        'Silently: it fires, and the customer is not written to. After a hold: what it had kept back is sent. Outreach: a ' +
        'step that follows an alert goes',
    }),
  hold: hold.nullable().meta({ description: 'What holds it that day; null: nothing does' }),
  sends_after_hold: rung
    .nullable()
    .meta({ description: 'The alert as which it sends what a hold had kept back; null: nothing was, or it still is' }),
  goes: z
    .object({ rung, step: alertStep, does: deed.nullable() })
    .nullable()
    .meta({ description: 'What goes at a rung that fired before; null: nothing does' }),
  leaves: leavesThen,
  explanation: z.string(),
});
export type Foreseen = z.infer<typeof foreseen>;

const foreseenOfCustomer = foreseen.extend({
  customer_name: z.string().nullable().meta({ description: 'null while it cannot be asked for' }),
});

export const refreshPreview = pageOf(foreseenOfCustomer)
  .extend({ as_of: plainDate, dry_run: z.literal(true), would_fire: z.int().min(0) })
  .meta({ id: 'RefreshPreview' });
export type RefreshPreview = z.infer<typeof refreshPreview>;

/** A run, or with `dry_run` what one would do. */
export const refreshOutcome: z.ZodType<RefreshRun | RefreshPreview> = z.union([refreshRun, refreshPreview]);

export const runRefreshQuery = z.strictObject({
  dry_run: flag.prefault('false').meta({ description: 'Change nothing; tell what would fire and why' }),
  as_of: plainDate.optional().meta({ description: 'Only of a dry run' }),
  ...pageQuery,
});
export type RunRefreshQuery = z.infer<typeof runRefreshQuery>;
