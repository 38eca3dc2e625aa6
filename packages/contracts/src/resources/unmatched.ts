import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, recordId } from '../text.ts';
import { attachment, communication, direction, outsideType } from './communication.ts';
import { searchText } from './search.ts';

/** Somebody it may be from, and why we think so. Never decided by us. */
const candidate = z.object({
  customer_id: customerId,
  name: z.string(),
  because: z.enum(['identifier', 'reply', 'name']).meta({
    description: "The sender's phone, address or user id is theirs; it answers a message to them; the names agree",
  }),
});

/** A message of, or to, somebody unknown or ambiguous. Its id is that of the record it is or becomes. */
export const unmatched = z
  .object({
    id: recordId,
    type: outsideType,
    reason: z.enum(['unknown', 'ambiguous', 'unverified']).meta({
      description: 'Nobody has the sender’s identifiers; several have; the sender is probably not who they say',
    }),
    state: z.enum(['waiting', 'linked', 'dismissed']).meta({
      description: 'dismissed: somebody said that nobody here is meant; it disturbs nobody and is kept',
    }),
    direction: direction.extract(['INBOUND', 'OUTBOUND']).meta({
      description: 'OUTBOUND: staff wrote it on the phone, and `sender` is whom it went to',
    }),
    sender: z.object({
      address: z.string(),
      phone: z.string().nullable(),
      email: z.string().nullable(),
      user_id: z.string().nullable(),
      name: z.string().nullable(),
      username: z.string().nullable(),
    }),
    candidates: z.array(candidate).meta({ description: 'Of a waiting one' }),
    customer_id: customerId.nullable().meta({ description: 'Whom it was linked to' }),
    ...communication.pick({ automatic: true, recipient: true, claimed_at: true }).shape,
    subject: z.string().nullable(),
    body: z.string(),
    attachments: z.array(attachment),
    occurred_at: instant,
    received_at: instant,
    linked_by: z.string().nullable().meta({ description: 'null too when the customer got the identifier later' }),
    linked_at: instant.nullable(),
    dismissed_by: z.string().nullable(),
    dismissed_at: instant.nullable(),
  })
  .meta({ id: 'Unmatched' });
export type Unmatched = z.infer<typeof unmatched>;

export const unmatchedPage = pageOf(unmatched).meta({ id: 'UnmatchedPage' });
export const unmatchedQuery = z.strictObject({
  state: z.enum(['waiting', 'linked', 'dismissed']).default('waiting'),
  type: outsideType.optional(),
  q: searchText
    .optional()
    .meta({ description: "Any part of the sender's number, address or name", example: '+447700900123' }),
  ...pageQuery,
});
export type UnmatchedQuery = z.infer<typeof unmatchedQuery>;

export const linkUnmatched = z.strictObject({ customer_id: customerId }).meta({ id: 'LinkUnmatched' });
export type LinkUnmatched = z.infer<typeof linkUnmatched>;

export const linkResult = z
  .object({
    unmatched: unmatched,
    moved: z.array(recordId).meta({ description: "This one and the sender's others that went with it" }),
    identifier_learned: z.boolean().meta({ description: 'Not when the identifier is shared' }),
  })
  .meta({ id: 'LinkResult' });
export type LinkResult = z.infer<typeof linkResult>;

export const dismissResult = z
  .object({
    unmatched,
    together: z.array(recordId).meta({ description: "This one and the sender's others that it is so with now" }),
  })
  .meta({ id: 'DismissResult' });
export type DismissResult = z.infer<typeof dismissResult>;
