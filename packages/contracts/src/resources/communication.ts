import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, recordId, subject, text } from '../text.ts';
import { chooseTemplate, messagingTemplate } from './messaging-template.ts';

export const communicationType = z.enum(['MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG']);
export type CommunicationType = z.infer<typeof communicationType>;

/** Types that go to and come from outside, each over a provider. */
export const outsideType = communicationType.extract(['MESSAGING_APP', 'EMAIL', 'SMS']);
export type OutsideType = z.infer<typeof outsideType>;

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

const longestBody = 65_536;
const body = text(1, longestBody);
const subjectLine = text(1, 998);
const mentions = z
  .array(subject)
  .max(20)
  .optional()
  .meta({ description: 'Of an INTERNAL_NOTE: agents who are to be told of it, each by a task; its writer is not' });

/** `POST /ops/customers/:id/communications`. Which type goes with which direction and subject is decided here, once. */
export const createCommunication = z
  .strictObject({
    type: communicationType,
    direction,
    body: text(0, longestBody).meta({ description: 'Empty only where files go without words' }),
    subject: subjectLine.nullish().meta({ description: 'Required on CALL_LOG, allowed on EMAIL' }),
    in_reply_to: recordId.nullish().meta({ description: 'The record it answers, of the same customer and type' }),
    attachments: z
      .array(recordId)
      .max(10)
      .optional()
      .meta({ description: 'Uploaded before; on an OUTBOUND MESSAGING_APP or EMAIL only' }),
    send_after: instant.nullish().meta({
      description:
        'Of an OUTBOUND one, at most a year ahead: it waits until then. A time that is over: it leaves at once',
    }),
    occurred_at: instant.nullish().meta({
      description: 'Of a CALL_LOG: when it was, and not to come yet; left out, it is now',
    }),
    template: chooseTemplate.nullish().meta({
      description:
        'On an OUTBOUND MESSAGING_APP only: the words go in this template if the 24-hour window is closed when they leave; ' +
        "left out, in the best one for the customer's language",
    }),
    mentions,
  })
  .superRefine((value, ctx) => {
    if ((value.direction === 'INTERNAL') !== isInternal(value.type))
      ctx.addIssue({ code: 'custom', path: ['direction'], message: directionMessage(value.type) });
    if (value.type === 'CALL_LOG' && !value.subject)
      ctx.addIssue({ code: 'custom', path: ['subject'], message: 'is required on CALL_LOG' });
    if (value.subject && value.type !== 'CALL_LOG' && value.type !== 'EMAIL')
      ctx.addIssue({ code: 'custom', path: ['subject'], message: 'is allowed on CALL_LOG and EMAIL only' });
    if (value.in_reply_to && isInternal(value.type))
      ctx.addIssue({ code: 'custom', path: ['in_reply_to'], message: `is not allowed on ${value.type}` });
    if (value.body === '' && !value.attachments?.length)
      ctx.addIssue({ code: 'custom', path: ['body'], message: 'must not be empty where no file goes along' });
    if (value.attachments?.length && !takesAttachments(value))
      ctx.addIssue({
        code: 'custom',
        path: ['attachments'],
        message: 'go with an OUTBOUND MESSAGING_APP or EMAIL only',
      });
    if (value.type === 'MESSAGING_APP' && value.attachments && value.attachments.length > 1)
      ctx.addIssue({ code: 'custom', path: ['attachments'], message: 'are at most one on MESSAGING_APP' });
    if (value.occurred_at && value.type !== 'CALL_LOG')
      ctx.addIssue({ code: 'custom', path: ['occurred_at'], message: 'goes with a CALL_LOG only' });
    if (value.send_after && value.direction !== 'OUTBOUND')
      ctx.addIssue({ code: 'custom', path: ['send_after'], message: 'goes with an OUTBOUND one only' });
    if (value.mentions?.length && value.type !== 'INTERNAL_NOTE')
      ctx.addIssue({ code: 'custom', path: ['mentions'], message: 'go with an INTERNAL_NOTE only' });
    if (value.template && (value.type !== 'MESSAGING_APP' || value.direction !== 'OUTBOUND'))
      ctx.addIssue({ code: 'custom', path: ['template'], message: 'goes with an OUTBOUND MESSAGING_APP only' });
  })
  .meta({ id: 'CreateCommunication' });
export type CreateCommunication = z.infer<typeof createCommunication>;

const takesAttachments = (value: { type: CommunicationType; direction: Direction }) =>
  value.direction === 'OUTBOUND' && (value.type === 'MESSAGING_APP' || value.type === 'EMAIL');

const directionMessage = (type: CommunicationType) =>
  isInternal(type) ? `must be INTERNAL for ${type}` : `must be INBOUND or OUTBOUND for ${type}`;

/** `PATCH /ops/communications/:id`, of one that has not left yet. */
export const patchCommunication = z
  .strictObject({
    body: body.optional(),
    subject: subjectLine.nullable().optional().meta({ description: 'Of an EMAIL only' }),
    send_after: instant
      .nullable()
      .optional()
      .meta({ description: 'At most a year ahead; null, or a time that is over: it leaves at once' }),
  })
  .refine((value) => Object.keys(value).length > 0, 'must change something')
  .meta({ id: 'PatchCommunication' });
export type PatchCommunication = z.infer<typeof patchCommunication>;

export const settleCommunication = z
  .strictObject({ note: text(1, 1_000).meta({ description: 'How it was settled, such as by phone' }) })
  .meta({ id: 'SettleCommunication' });
export type SettleCommunication = z.infer<typeof settleCommunication>;

export const settlement = z
  .object({ at: instant, by: z.string(), note: z.string() })
  .meta({ description: 'Staff settled in another way what this failed to say' });
export type Settlement = z.infer<typeof settlement>;

export const createNote = z.strictObject({ body, mentions }).meta({ id: 'CreateNote' });
export type CreateNote = z.infer<typeof createNote>;

export const reaction = z.object({ emoji: z.string(), from: z.string(), at: instant });
export type Reaction = z.infer<typeof reaction>;

/** Somebody's details that a message passes on. They say nothing about who sent it. */
export const contactCard = z
  .object({
    name: z.string().nullable(),
    organisation: z.string().nullable(),
    phones: z.array(z.string()),
    emails: z.array(z.string()),
    addresses: z.array(z.string()),
    websites: z.array(z.string()),
    birthday: z.string().nullable(),
  })
  .meta({ id: 'ContactCard' });
export type ContactCard = z.infer<typeof contactCard>;

/** Both coordinates, or none. */
export const place = z
  .object({
    name: z.string().nullable(),
    address: z.string().nullable(),
    latitude: z.number().min(-90).max(90).nullable(),
    longitude: z.number().min(-180).max(180).nullable(),
  })
  .meta({ id: 'Place' });
export type Place = z.infer<typeof place>;

/** What the sender made of the message later; the record keeps the words as they came first. */
export const amendment = z.object({
  at: instant,
  body: z.string().nullable().meta({ description: 'The new words; null: withdrawn' }),
});
export type Amendment = z.infer<typeof amendment>;

/** Why it was not sent, or not delivered: a code for programs, a sentence for people. */
export const failure = z.object({
  code: z.string(),
  message: z.string(),
  detail: z
    .string()
    .optional()
    .meta({ description: 'For whoever looks into it: what the provider said itself, or how it could not be reached' }),
});
export type Failure = z.infer<typeof failure>;

export const attachment = z
  .object({
    id: recordId,
    name: z.string().nullable(),
    media_type: z.string(),
    size: z.int().nullable(),
    content_id: z.string().nullable().meta({ description: 'How an HTML body names it' }),
    state: z.enum(['PENDING', 'STORED', 'FAILED', 'REDACTED']),
    failure: failure.nullable(),
  })
  .meta({ id: 'Attachment' });
export type Attachment = z.infer<typeof attachment>;

/** A file of one of the customer's communications. */
export const customerFile = attachment
  .extend({ communication_id: recordId, type: communicationType, direction, occurred_at: instant })
  .meta({ id: 'CustomerFile' });
export type CustomerFile = z.infer<typeof customerFile>;
export const customerFilePage = pageOf(customerFile).meta({ id: 'CustomerFilePage' });
export const customerFilesQuery = z.strictObject(pageQuery);
export type CustomerFilesQuery = z.infer<typeof customerFilesQuery>;

/** A file as a sender is told of it; the sender pulls the content. */
export const sentAttachment = z.object({ id: recordId, name: z.string(), media_type: z.string(), size: z.int() });
export type SentAttachment = z.infer<typeof sentAttachment>;

/** 20 MiB: what the providers take, with what encoding adds. */
export const mostAttachmentBytes = 20 * 1024 * 1024;
export const uploadQuery = z.strictObject({ name: text(1, 255).meta({ description: 'File name, with its ending' }) });

/** What the mail server that took an e-mail found out about its sender. */
export const senderVerified = z
  .enum(['pass', 'fail', 'unknown'])
  .meta({ description: '`fail`: it is probably not from whom it says; it waits for staff to say whose it is' });

export const communication = z
  .object({
    id: recordId,
    customer_id: customerId,
    type: communicationType,
    direction,
    subject: z.string().nullable(),
    body: z.string(),
    quoted: z.string().nullable().meta({ description: 'Quoted text and signature of an e-mail, folded away' }),
    has_html: z.boolean().meta({ description: 'There is an HTML version to show' }),
    unread: z.boolean(),
    status: communicationStatus,
    author: z.string().nullable().meta({ description: 'Who wrote it, when it was one of ours' }),
    mentions: z.array(z.string()).meta({ description: 'Of a note: the agents who were told of it' }),
    in_reply_to: recordId.nullable(),
    renewal_id: recordId.nullable(),
    renewal_ids: z
      .array(recordId)
      .meta({ description: 'All it is about, the most urgent first; `renewal_id` is the first of them' }),
    reactions: z.array(reaction),
    amendments: z.array(amendment),
    attachments: z.array(attachment),
    contacts: z
      .array(contactCard)
      .meta({ description: 'Cards of people that it passes on; `body` says the same in words' }),
    place: place.nullable().meta({ description: 'Where it points to; `body` says the same in words' }),
    provider: z.string().nullable(),
    provider_message_id: z.string().nullable(),
    failure: failure.nullable(),
    attempt: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'Of an OUTBOUND one: 1, and one more each time staff had it sent again, or changed it' }),
    automated: z.boolean(),
    automatic: z
      .boolean()
      .meta({ description: "A machine wrote it to us, such as an out-of-office reply: it is nobody's answer" }),
    sender: z.string().nullable().meta({
      description: 'Of an INBOUND one that a provider brought: the number, address or id of the app it came from',
    }),
    recipient: z
      .string()
      .nullable()
      .meta({ description: 'Of an INBOUND one: which of our mailboxes or numbers it was written to' }),
    reply_to: z
      .string()
      .nullable()
      .meta({ description: 'Of an e-mail: where its writer wants answers, if elsewhere. It identifies nobody' }),
    sender_verified: senderVerified.nullable(),
    phone_app: z.boolean().meta({ description: 'Staff wrote it with the app on the phone: nothing of ours sent it' }),
    imported: z.boolean().meta({ description: 'Of the history of the phone: nobody wrote it now' }),
    forwarded: z.boolean().meta({ description: 'Somebody else wrote it first' }),
    group: z.string().nullable().meta({ description: 'The group of the messaging app it was written in' }),
    template: messagingTemplate
      .nullable()
      .meta({ description: 'Chosen for the case that the 24-hour window is closed when it leaves' }),
    struck: z.boolean(),
    send_after: instant.nullable(),
    send_after_reason: failure.nullable().meta({ description: 'Why an automated message waits until then' }),
    occurred_at: instant,
    claimed_at: instant
      .nullable()
      .meta({ description: 'What its sender dates it, where that cannot be true: it occurred when it came' }),
    received_at: instant.nullable(),
    created_at: instant,
    filed_at: instant.nullable().meta({
      description:
        'When it came into this log, if that was later than `created_at`: it was somebody else’s, or crossed an answer',
    }),
    settled: settlement.nullable(),
    redacted_at: instant.nullable().meta({ description: 'Its content was removed by the retention policy' }),
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
  q: text(1, 200).optional().meta({
    description: 'Words of the subject or body, each of three characters and more as it begins; not for customers',
  }),
  ...pageQuery,
});
export type CommunicationListQuery = z.infer<typeof communicationListQuery>;

export const communicationCountsQuery = communicationListQuery.pick({ q: true });

const count = z.int().min(0);
export const communicationCounts = z
  .object({ all: count, messaging_app: count, email: count, notes: count })
  .meta({ id: 'CommunicationCounts', description: 'How many each filter of the list finds' });
export type CommunicationCounts = z.infer<typeof communicationCounts>;

export const markRead = z
  .strictObject({
    up_to: recordId
      .optional()
      .meta({ description: 'Of the records the person has seen, the last to arrive; later arrivals stay unread' }),
  })
  .meta({ id: 'MarkRead' });
export type MarkRead = z.infer<typeof markRead>;

export const markReadResult = z
  .object({ customer_id: customerId, marked_read: z.int().min(0), unread_count: z.int().min(0) })
  .meta({ id: 'MarkReadResult' });

/** `PATCH /ops/customers/:id/communications/unread` */
export const markUnread = z
  .strictObject({
    from: recordId.meta({ description: 'This record and the later ones of the log that the customer wrote' }),
  })
  .meta({ id: 'MarkUnread' });
export type MarkUnread = z.infer<typeof markUnread>;

export const markUnreadResult = z
  .object({ customer_id: customerId, marked_unread: z.int().min(0), unread_count: z.int().min(0) })
  .meta({ id: 'MarkUnreadResult' });

export const moveCommunication = z.strictObject({ customer_id: customerId }).meta({ id: 'MoveCommunication' });
export type MoveCommunication = z.infer<typeof moveCommunication>;

export const failedQuery = z.strictObject({
  status: z.enum(['FAILED', 'UNCERTAIN']).optional(),
  type: outsideType.optional(),
  ...pageQuery,
});
export type FailedQuery = z.infer<typeof failedQuery>;
export const failedPage = pageOf(communication).meta({ id: 'FailedCommunicationPage' });

export const resolveCommunication = z
  .strictObject({ outcome: z.enum(['sent', 'failed']) })
  .meta({ id: 'ResolveCommunication' });
export type ResolveCommunication = z.infer<typeof resolveCommunication>;

export const historyEntry = z
  .object({
    id: recordId,
    change: z.enum([
      'moved',
      'struck',
      'linked',
      'unlinked',
      'dismissed',
      'restored',
      'retried',
      'resolved',
      'delivery',
      'redacted',
      'changed',
      'called_back',
      'settled',
    ]),
    actor: z.string().nullable().meta({ description: 'Who did it; null when it happened by itself' }),
    at: instant,
    details: z.record(z.string(), z.unknown()).meta({ description: 'Never a message body' }),
  })
  .meta({ id: 'CommunicationHistoryEntry' });
export type HistoryEntry = z.infer<typeof historyEntry>;
export const historyPage = pageOf(historyEntry).meta({ id: 'CommunicationHistoryPage' });
export const historyQuery = z.strictObject(pageQuery);
