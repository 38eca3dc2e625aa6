import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, recordId, text } from '../text.ts';

export const communicationType = z.enum(['MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG']);
export type CommunicationType = z.infer<typeof communicationType>;

export const direction = z.enum(['INBOUND', 'OUTBOUND', 'INTERNAL']);
export type Direction = z.infer<typeof direction>;

/** Types that never leave the firm: shown to staff only, refused by every sender. */
export const internalTypes: readonly CommunicationType[] = ['INTERNAL_NOTE', 'CALL_LOG'];
export const isInternal = (type: CommunicationType): boolean => internalTypes.includes(type);

export const communicationStatus = z.enum([
  'RECEIVED',
  'LOGGED',
  'QUEUED',
  'SENT',
  'DELIVERED',
  'READ',
  'FAILED',
  'UNCERTAIN',
  'CANCELLED',
]);
export type CommunicationStatus = z.infer<typeof communicationStatus>;

const body = text(1, 65_536);
const subjectLine = text(1, 998);

/** `POST /ops/customers/:id/communications`. Which type goes with which direction and subject is decided here, once. */
export const createCommunication = z
  .strictObject({
    type: communicationType,
    direction,
    body,
    subject: subjectLine.nullish().meta({ description: 'Required on CALL_LOG, allowed on EMAIL' }),
  })
  .superRefine((value, ctx) => {
    if ((value.direction === 'INTERNAL') !== isInternal(value.type))
      ctx.addIssue({ code: 'custom', path: ['direction'], message: directionMessage(value.type) });
    if (value.type === 'CALL_LOG' && !value.subject)
      ctx.addIssue({ code: 'custom', path: ['subject'], message: 'is required on CALL_LOG' });
    if (value.subject && value.type !== 'CALL_LOG' && value.type !== 'EMAIL')
      ctx.addIssue({ code: 'custom', path: ['subject'], message: 'is allowed on CALL_LOG and EMAIL only' });
  })
  .meta({ id: 'CreateCommunication' });
export type CreateCommunication = z.infer<typeof createCommunication>;

const directionMessage = (type: CommunicationType) =>
  isInternal(type) ? `must be INTERNAL for ${type}` : `must be INBOUND or OUTBOUND for ${type}`;

export const createNote = z.strictObject({ body }).meta({ id: 'CreateNote' });
export type CreateNote = z.infer<typeof createNote>;

export const reaction = z.object({ emoji: z.string(), from: z.string(), at: instant });
export const attachment = z.object({
  id: recordId,
  name: z.string().nullable(),
  media_type: z.string(),
  size: z.int().nullable(),
  state: z.enum(['PENDING', 'STORED', 'FAILED', 'REDACTED']),
});

export const communication = z
  .object({
    id: recordId,
    customer_id: customerId,
    type: communicationType,
    direction,
    subject: z.string().nullable(),
    body: z.string(),
    unread: z.boolean(),
    status: communicationStatus,
    author: z.string().nullable().meta({ description: 'Who wrote it, when it was one of ours' }),
    in_reply_to: recordId.nullable(),
    renewal_id: recordId.nullable(),
    reactions: z.array(reaction),
    attachments: z.array(attachment),
    provider: z.string().nullable(),
    provider_message_id: z.string().nullable(),
    failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    struck: z.boolean(),
    send_after: instant.nullable(),
    occurred_at: instant,
    received_at: instant.nullable(),
    created_at: instant,
  })
  .meta({ id: 'Communication' });
export type Communication = z.infer<typeof communication>;

export const communicationPage = pageOf(communication)
  .extend({ unread_count: z.int().min(0) })
  .meta({ id: 'CommunicationPage' });

/** The filters of the communications tab, in the words of the address line. */
export const communicationFilter = z.enum(['all', 'messaging_app', 'email', 'notes']);

export const communicationListQuery = z.strictObject({
  filter: communicationFilter.default('all').meta({ description: 'The tab: `notes` means INTERNAL_NOTE' }),
  type: communicationType.optional(),
  direction: direction.optional(),
  unread: flag.optional(),
  q: text(1, 200).optional().meta({ description: 'Words of the subject or body' }),
  ...pageQuery,
});
export type CommunicationListQuery = z.infer<typeof communicationListQuery>;

export const markRead = z
  .strictObject({
    up_to: recordId.optional().meta({ description: 'Newest record the person has seen; later ones stay unread' }),
  })
  .meta({ id: 'MarkRead' });
export type MarkRead = z.infer<typeof markRead>;

export const markReadResult = z
  .object({ customer_id: customerId, marked_read: z.int().min(0), unread_count: z.int().min(0) })
  .meta({ id: 'MarkReadResult' });

export const moveCommunication = z.strictObject({ customer_id: customerId }).meta({ id: 'MoveCommunication' });
export type MoveCommunication = z.infer<typeof moveCommunication>;
