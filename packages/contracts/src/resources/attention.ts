import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, plainDate, recordId, text } from '../text.ts';
import { communicationType, outsideType } from './communication.ts';

const waitingSince = instant.nullable().meta({
  description: 'When the oldest message was written that nobody has answered; null: the customer waits for nothing',
});
const snoozedUntil = instant.nullable().meta({ description: 'Put off until then, or until they write again' });

/** What of it a customer shows. */
export const waiting = { waiting_since: waitingSince, snoozed_until: snoozedUntil };

/** Whether a customer waits for an answer. */
export const attention = z
  .object({
    customer_id: customerId,
    state: z.enum(['waiting', 'snoozed', 'done']).meta({ description: '`done`: the customer waits for nothing' }),
    ...waiting,
  })
  .meta({ id: 'Attention' });
export type Attention = z.infer<typeof attention>;

/** What a change of it answers. */
export const attentionChange = attention
  .extend({
    change_id: recordId
      .nullable()
      .meta({ description: 'By which what this request changed is taken back; null: it changed nothing' }),
  })
  .meta({ id: 'AttentionChange' });
export type AttentionChange = z.infer<typeof attentionChange>;

const upTo = recordId.optional().meta({
  description:
    'Of the records the person has seen, the last to arrive; without it all there is. Later arrivals keep waiting',
});

/** `PATCH /ops/customers/:id/attention` */
export const patchAttention = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('done'), up_to: upTo }),
    z.strictObject({ state: z.literal('snoozed'), until: instant, up_to: upTo }),
    z.strictObject({
      state: z.literal('waiting'),
      change_id: recordId.optional().meta({
        description:
          'Take this change back: all is as it was before, and what was written and answered since counts. Without it, put off no more',
      }),
    }),
  ])
  .meta({ id: 'PatchAttention' });
export type PatchAttention = z.infer<typeof patchAttention>;

export const attentionQuery = z.strictObject({
  agent: text(1, 200)
    .optional()
    .meta({ description: 'Who is responsible: `me`, `nobody`, or an agent. Without it everybody’s', example: 'me' }),
  state: z.enum(['waiting', 'snoozed']).prefault('waiting'),
  channel: outsideType.optional().meta({ description: 'Of the last message that waits' }),
  ...pageQuery,
});
export type AttentionQuery = z.infer<typeof attentionQuery>;

export const attentionItem = z
  .object({
    customer_id: customerId,
    customer_name: z.string(),
    archived_at: instant.nullable().meta({ description: 'Since when a former customer, who waits as everybody does' }),
    waiting_since: instant,
    snoozed_until: snoozedUntil,
    answer_by: instant
      .nullable()
      .meta({ description: 'When the working hours are over within which customers are answered' }),
    last_message: z
      .object({
        id: recordId,
        type: communicationType,
        subject: z.string().nullable(),
        body: z.string().meta({ description: 'As it begins: 300 characters at most' }),
        attachments: z.int().min(0),
        occurred_at: instant,
      })
      .meta({ description: 'Of what waits for an answer, the last to arrive' }),
    unread_count: z.int().min(0),
    assigned_agent: z.string().nullable(),
    responsible_agent: z.string().nullable().meta({
      description: 'Who deals with it today: the customer’s agent, while that one is absent their deputy; null: nobody',
    }),
    next_renewal: z
      .object({ id: recordId, service_type: z.string(), due_date: plainDate })
      .nullable()
      .meta({ description: 'The active renewal that is due first' }),
  })
  .meta({ id: 'AttentionItem' });
export type AttentionItem = z.infer<typeof attentionItem>;

export const attentionPage = pageOf(attentionItem)
  .extend({
    left_out: z
      .array(z.enum(['next_renewal', 'answer_by']))
      .meta({ description: 'What nobody could be asked about just now; it is null in all of them' }),
  })
  .meta({ id: 'AttentionPage' });
export type AttentionPage = z.infer<typeof attentionPage>;
