import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, plainDate, recordId, subject, text } from '../text.ts';
import { communicationStatus, communicationType, direction, failure } from './communication.ts';
import { renewalServiceType } from './service-type.ts';

export const renewalStatus = z.enum(['UPCOMING', 'IN_PROGRESS', 'OVERDUE', 'COMPLETED', 'CANCELLED']);
export type RenewalStatus = z.infer<typeof renewalStatus>;
export const activeStatuses = ['UPCOMING', 'IN_PROGRESS', 'OVERDUE'] as const satisfies readonly RenewalStatus[];

/**
 * The alert thresholds of the specification, from the loosest to the most urgent. The options of the enum are no such
 * list: keys that are numbers sort themselves the other way.
 */
export const rungs = ['90', '60', '30', '14', '7', 'OVERDUE'] as const;
export const rung = z.enum(rungs);
export type Rung = z.infer<typeof rung>;

const reminders = z.enum(['on', 'off']).meta({ description: 'Off: nobody writes to the customer by machine' });
const policyId = text(1, 200);
const notes = text(0, 10_000);

export const renewal = z
  .object({
    id: recordId,
    customer_id: customerId,
    service_type: renewalServiceType,
    due_date: plainDate,
    days_until_due: z.int().nullable().meta({
      description: 'As the last refresh calculated it, negative when past due; null for a completed or cancelled one',
    }),
    status: renewalStatus,
    policy_id: z.string().nullable(),
    notes: z.string().nullable(),
    assigned_agent: z.string().nullable(),
    reminders,
    source: z
      .object({ kind: z.string(), id: z.string() })
      .nullable()
      .meta({ description: 'The policy or permit it was made for by itself; null when a person made it' }),
    predecessor_id: recordId.nullable(),
    successor_id: recordId.nullable(),
    started_at: instant.nullable(),
    closed_at: instant.nullable().meta({ description: 'When it was completed or cancelled' }),
    version: z.int().min(1),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Renewal' });
export type Renewal = z.infer<typeof renewal>;

/** One message, or one task, that an alert led to, or why it did not. */
export const alertOutcome = z
  .object({
    channel: z.enum(['MESSAGING_APP', 'EMAIL', 'SMS', 'TASK']),
    outcome: z.enum(['planned', 'not_sent', 'cancelled']),
    instead_of: z
      .enum(['MESSAGING_APP', 'EMAIL', 'SMS'])
      .nullable()
      .meta({ description: 'The channel it fell through from' }),
    reason: failure.nullable(),
    communication_id: recordId
      .nullable()
      .meta({ description: 'The message in the log; null when it never came to one' }),
    task_id: recordId.nullable(),
    status: communicationStatus.nullable().meta({ description: 'What became of the message' }),
    send_after: instant.nullable(),
    reply_id: recordId.nullable().meta({ description: 'What the customer answered to it' }),
    occurred_at: instant,
  })
  .meta({ id: 'AlertOutcome' });
export type AlertOutcome = z.infer<typeof alertOutcome>;

export const alert = z
  .object({
    due_date: plainDate.meta({ description: 'The date it was about; the renewal may have another one by now' }),
    rung,
    state: z.enum(['FIRED', 'SUPERSEDED']).meta({ description: 'Superseded: a more urgent one was reached by then' }),
    days_until_due: z.int(),
    decided_at: instant,
    outcomes: z.array(alertOutcome),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alert>;

const linkedMessage = z
  .object({
    communication_id: recordId,
    type: communicationType,
    direction,
    status: communicationStatus,
    in_reply_to: recordId.nullable(),
    occurred_at: instant,
  })
  .meta({ id: 'LinkedMessage' });
export type LinkedMessage = z.infer<typeof linkedMessage>;

export const renewalDetail = renewal
  .extend({
    alerts: z.array(alert).meta({ description: 'Newest first' }),
    messages: z.array(linkedMessage).meta({ description: 'The newest 200 linked to it, newest first' }),
  })
  .meta({ id: 'RenewalDetail' });
export type RenewalDetail = z.infer<typeof renewalDetail>;

export const createRenewal = z
  .strictObject({
    service_type: renewalServiceType,
    due_date: plainDate,
    policy_id: policyId.nullish(),
    notes: notes.nullish(),
    assigned_agent: subject.nullish(),
  })
  .meta({ id: 'CreateRenewal' });
export type CreateRenewal = z.infer<typeof createRenewal>;

export const patchRenewal = z
  .strictObject({
    due_date: plainDate.optional(),
    notes: notes.nullable().optional(),
    policy_id: policyId.nullable().optional(),
    assigned_agent: subject.nullable().optional(),
    reminders: reminders.optional(),
  })
  .meta({ id: 'PatchRenewal', description: 'What is left out stays; null empties' });
export type PatchRenewal = z.infer<typeof patchRenewal>;

export const completeRenewal = z
  .strictObject({
    next_due_date: plainDate.optional(),
    create_next: z.boolean().optional().meta({ description: 'false: there is no next one' }),
  })
  .meta({ id: 'CompleteRenewal' });
export type CompleteRenewal = z.infer<typeof completeRenewal>;

export const completedRenewal = z
  .object({ renewal, next_renewal: renewal.nullable() })
  .meta({ id: 'CompletedRenewal' });
export type CompletedRenewal = z.infer<typeof completedRenewal>;

export const assignRenewals = z
  .strictObject({ renewal_ids: z.array(recordId).min(1).max(200), assigned_agent: subject.nullable() })
  .meta({ id: 'AssignRenewals' });
export type AssignRenewals = z.infer<typeof assignRenewals>;

export const assignmentOutcomes = z
  .object({
    data: z.array(
      z.object({ renewal_id: recordId, outcome: z.enum(['assigned', 'unchanged', 'not_found', 'closed']) }),
    ),
  })
  .meta({ id: 'AssignmentOutcomes' });
export type AssignmentOutcomes = z.infer<typeof assignmentOutcomes>;

export const renewalPage = pageOf(renewal).meta({ id: 'RenewalPage' });

/** In a list of all customers a line says whose it is, what was last heard, and what comes next. */
const queuedRenewal = renewal
  .extend({
    customer_name: z.string().nullable().meta({ description: 'null while it cannot be asked for' }),
    last_contact: linkedMessage.nullable().meta({ description: 'The newest message linked to it' }),
    next_alert: z
      .object({ rung, on: plainDate.meta({ description: 'The date of the first refresh that has to do with it' }) })
      .nullable()
      .meta({ description: 'null: none is left' }),
  })
  .meta({ id: 'QueuedRenewal' });
export type QueuedRenewal = z.infer<typeof queuedRenewal>;

export const renewalQueue = pageOf(queuedRenewal)
  .extend({ as_of: plainDate.nullable().meta({ description: 'The date of the last refresh; null before the first' }) })
  .meta({ id: 'RenewalQueue' });
export type RenewalQueue = z.infer<typeof renewalQueue>;

const ofAgent = text(0, 200).optional().meta({ description: 'Empty: those of nobody' });

const days = (list: readonly [string, ...string[]]) => z.enum(list).transform(Number);

export const renewalQueueQuery = z.strictObject({
  window: days(['30', '60', '90', '180'])
    .optional()
    .meta({ description: 'Days until due at most; overdue ones are always in it' }),
  due_from: plainDate.optional(),
  due_to: plainDate.optional().meta({ description: 'The last day' }),
  service_type: renewalServiceType.optional(),
  status: renewalStatus.optional().meta({ description: 'Active ones unless a status or a refresh is asked for' }),
  assigned_agent: ofAgent,
  run_id: recordId.optional().meta({
    description: 'Those that this refresh alerted, whatever became of them and whatever date they have by now',
  }),
  rung: rung.optional().meta({ description: 'Only with `run_id`: those that it alerted at this rung' }),
  ...pageQuery,
});
export type RenewalQueueQuery = z.infer<typeof renewalQueueQuery>;

export const customerRenewalsQuery = z.strictObject({ status: renewalStatus.optional(), ...pageQuery });
export type CustomerRenewalsQuery = z.infer<typeof customerRenewalsQuery>;

export const renewalSummaryQuery = z.strictObject({ assigned_agent: ofAgent });
export type RenewalSummaryQuery = z.infer<typeof renewalSummaryQuery>;

export const renewalSummary = z
  .object({
    as_of: plainDate.nullable(),
    by_service_type: z.array(z.object({ service_type: z.string(), status: renewalStatus, count: z.int() })),
    by_week: z
      .array(
        z.object({
          week: plainDate.meta({ description: 'Its Monday' }),
          service_type: z.string(),
          count: z.int(),
        }),
      )
      .meta({ description: 'Active ones due within the next 26 weeks; those past due are counted by status alone' }),
  })
  .meta({ id: 'RenewalSummary' });
export type RenewalSummary = z.infer<typeof renewalSummary>;

export const complianceFlag = z
  .object({
    id: recordId,
    customer_id: customerId,
    renewal_id: recordId,
    service_type: z.string(),
    due_date: plainDate,
    state: z.enum(['open', 'cleared']),
    raised_at: instant,
    cleared_at: instant.nullable(),
    cleared_because: z.enum(['completed', 'cancelled', 'date_changed']).nullable(),
  })
  .meta({ id: 'ComplianceFlag' });
export type ComplianceFlag = z.infer<typeof complianceFlag>;
export const complianceFlagPage = pageOf(complianceFlag).meta({ id: 'ComplianceFlagPage' });
export const complianceFlagQuery = z.strictObject({ state: z.enum(['open', 'cleared']).optional(), ...pageQuery });
export type ComplianceFlagQuery = z.infer<typeof complianceFlagQuery>;
