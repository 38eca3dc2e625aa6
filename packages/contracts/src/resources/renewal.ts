import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, plainDate, recordId, subject, text } from '../text.ts';
import { communicationStatus, communicationType, direction, failure } from './communication.ts';
import { deed, skipReason } from './outreach.ts';
import { searchText } from './search.ts';
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
const responsibleAgent = z
  .string()
  .nullable()
  .meta({
    description:
      'Who deals with it today: its own agent, else the customer’s; while that one is absent and it is active their deputy. ' +
      'null: nobody',
  });
const policyId = text(1, 200);

/** While somebody is at a renewal its rungs fire as ever, and nobody writes to the customer by machine. */
export const hold = z
  .object({
    because: z.enum(['started', 'acknowledged', 'answered']).meta({ description: 'Of several the first of these' }),
    until: plainDate.nullable().meta({
      description: 'The first day on which nothing holds it any more; null: until it is released or over',
    }),
  })
  .meta({ id: 'Hold' });
export type Hold = z.infer<typeof hold>;

/** `0` is the alert itself. */
export const alertStep = z
  .string()
  .regex(/^([0-9]|after_hold(_\d+)?|customer_known)$/, 'must be a step of an alert')
  .meta({
    description:
      'Which message of its rung: `0` the alert itself; `1` and so on the steps that follow it; `after_hold` what a hold had ' +
      'kept back, `after_hold_2` for a second hold; `customer_known` to a customer who was unknown before',
  });
const notes = text(0, 10_000);

export const cancelReason = z
  .enum(['lost', 'not_needed', 'duplicate', 'upstream', 'other'])
  .meta({ description: 'Lost: the customer went elsewhere. Upstream: the policy or permit ended' });
export type CancelReason = z.infer<typeof cancelReason>;

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
    assigned_agent: z.string().nullable().meta({ description: 'Whom it was given to itself' }),
    responsible_agent: responsibleAgent,
    reminders,
    hold: hold.nullable().meta({ description: 'What holds it today; null: nothing does, or it is over' }),
    acknowledged: z
      .object({ until: plainDate, note: z.string().nullable(), by: z.string(), at: instant })
      .nullable()
      .meta({ description: 'The last acknowledgement, unless it was released or the date was moved since' }),
    source: z
      .object({ kind: z.string(), id: z.string() })
      .nullable()
      .meta({ description: 'The policy or permit it was made for by itself; null when a person made it' }),
    predecessor_id: recordId.nullable(),
    successor_id: recordId.nullable(),
    started_at: instant.nullable(),
    closed_at: instant.nullable().meta({ description: 'When it was completed or cancelled' }),
    cancelled_because: z
      .object({ reason: cancelReason, note: z.string().nullable() })
      .nullable()
      .meta({ description: 'Of a cancelled one; null: nobody said' }),
    version: z.int().min(1),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Renewal' });
export type Renewal = z.infer<typeof renewal>;

export const riskReason = z.enum(['no_task', 'task_unassigned', 'agent_absent', 'nothing_reached', 'no_answer']).meta({
  description:
    'No task: none about it is open. Unassigned: nobody has its task. Absent: who has its task is absent, and so is their ' +
    'deputy if there is one. Nothing reached: no message about it has reached the customer since its last alert. No answer: ' +
    'the customer did not answer about it, nor was it started, within 14 days',
});
export type RiskReason = z.infer<typeof riskReason>;
const reasons = z.array(riskReason).meta({
  description: 'Why it is at risk: active, due within 30 days or overdue, and nobody at it. Empty: it is not',
});

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
    send_after_reason: failure.nullable().meta({ description: 'Why the message waits until then' }),
    reply_id: recordId.nullable().meta({ description: 'What the customer answered to it' }),
    occurred_at: instant,
  })
  .meta({ id: 'AlertOutcome' });
export type AlertOutcome = z.infer<typeof alertOutcome>;

export const alert = z
  .object({
    due_date: plainDate.meta({ description: 'The date it was about; the renewal may have another one by now' }),
    rung,
    step: alertStep,
    state: z.enum(['FIRED', 'SUPERSEDED']).meta({ description: 'Superseded: a more urgent one was reached by then' }),
    because: skipReason.nullable().meta({ description: 'Why a step did not go; null of any other alert' }),
    days_until_due: z.int(),
    decided_at: instant,
    outcomes: z.array(alertOutcome),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alert>;

/** When a message that is to come leaves, by the firm's calendar and the customer's quiet hours as they stand. */
export const leaves = z
  .object({
    send_after: instant.nullable().meta({ description: 'null: at once, that night' }),
    send_after_reason: failure.nullable().meta({ description: 'Why then' }),
  })
  .meta({ id: 'Leaves' });
export type Leaves = z.infer<typeof leaves>;

export const leavesThen = leaves.nullable().meta({
  description: 'When its message leaves; null: none is written to the customer, or nobody could be asked',
});

/** What is to be decided of a renewal, as things stand. */
const comingAlert = z
  .object({
    rung,
    step: alertStep,
    does: deed.nullable().meta({ description: 'Of a step that follows its alert; null: what its rung does' }),
    on: plainDate.meta({ description: 'The date of the refresh that decides it' }),
    leaves: leavesThen,
  })
  .meta({ id: 'ComingAlert' });
export type ComingAlert = z.infer<typeof comingAlert>;

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

/** What follows the alert that fired last, as the alert plan had it that night. */
export const sequence = z
  .object({
    rung,
    began_on: plainDate.meta({ description: 'The night in which its alert fired: days count from there' }),
    ended: skipReason
      .nullable()
      .meta({ description: 'Why nothing of it follows any more; null: it goes on, or is done' }),
    steps: z.array(
      deed.extend({
        step: alertStep,
        on: plainDate.meta({ description: 'The night it is, or was, to go' }),
        state: z
          .enum(['TO_COME', 'FIRED', 'SUPERSEDED', 'ENDED'])
          .meta({ description: 'Superseded: something else went in its place. Ended: the sequence was over before' }),
        because: skipReason.nullable().meta({ description: 'Why it did not go, or will not; null: it went, or will' }),
      }),
    ),
  })
  .meta({ id: 'Sequence' });

export const renewalDetail = renewal
  .extend({
    sequence: sequence.nullable().meta({ description: 'null: its last alert began none' }),
    alerts: z.array(alert).meta({ description: 'Newest first' }),
    to_come: z.array(comingAlert).meta({ description: 'If no night is missed, nobody answers, and nothing changes' }),
    messages: z.array(linkedMessage).meta({ description: 'The newest 200 linked to it, newest first' }),
    reasons,
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

export const cancelRenewal = z
  .strictObject({ reason: cancelReason.optional(), note: text(1, 1_000).nullish() })
  .refine(({ reason, note }) => !note || reason, { path: ['reason'], message: 'is required with a note' })
  .meta({ id: 'CancelRenewal' });
export type CancelRenewal = z.infer<typeof cancelRenewal>;

export const acknowledgeRenewal = z
  .strictObject({
    until: plainDate.meta({ description: 'The first day free: at most 60 days ahead, and not after the due date' }),
    note: text(1, 1_000).nullish(),
  })
  .meta({ id: 'AcknowledgeRenewal' });
export type AcknowledgeRenewal = z.infer<typeof acknowledgeRenewal>;

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
      .object({
        rung,
        on: plainDate.meta({ description: 'The date of the first refresh that has to do with it' }),
        step: alertStep,
        does: deed.nullable().meta({ description: 'Of a step that follows its alert; null: what its rung does' }),
      })
      .nullable()
      .meta({ description: 'null: none is left' }),
    reasons,
  })
  .meta({ id: 'QueuedRenewal' });
export type QueuedRenewal = z.infer<typeof queuedRenewal>;

export const renewalQueue = pageOf(queuedRenewal)
  .extend({ as_of: plainDate.nullable().meta({ description: 'The date of the last refresh; null before the first' }) })
  .meta({ id: 'RenewalQueue' });
export type RenewalQueue = z.infer<typeof renewalQueue>;

const ofAgent = text(0, 200).optional().meta({ description: 'Who is responsible; empty: nobody is' });

const days = (list: readonly [string, ...string[]]) => z.enum(list).transform(Number);

export const renewalQueueQuery = z.strictObject({
  window: days(['30', '60', '90', '180'])
    .optional()
    .meta({ description: 'Days until due at most; overdue ones are always in it' }),
  due_from: plainDate.optional(),
  due_to: plainDate.optional().meta({ description: 'The last day' }),
  service_type: renewalServiceType.optional(),
  status: renewalStatus
    .optional()
    .meta({ description: 'Active ones unless a status, a refresh or a number is asked for' }),
  assigned_agent: ofAgent,
  run_id: recordId.optional().meta({
    description: 'Those that this refresh alerted, whatever became of them and whatever date they have by now',
  }),
  at_risk: flag.optional().meta({
    description: '`true`: those alone that nobody is at, within 30 days of their date or past it; see `reasons`',
  }),
  q: searchText.optional().meta({
    description: 'Part of the number of a policy or permit; of all there are, unless a status is asked for',
    example: 'AB-1234',
  }),
  rung: rung.optional().meta({ description: 'Only with `run_id`: those that it alerted at this rung' }),
  ...pageQuery,
});
export type RenewalQueueQuery = z.infer<typeof renewalQueueQuery>;

export const customerRenewalsQuery = z.strictObject({
  status: renewalStatus.optional(),
  assigned_agent: ofAgent,
  ...pageQuery,
});
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
