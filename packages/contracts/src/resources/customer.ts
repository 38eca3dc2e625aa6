import { z } from 'zod';
import { isTimeZone } from '../local-time.ts';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, recordId, subject, text } from '../text.ts';
import { waiting } from './attention.ts';

export const preferredChannel = z.enum(['MESSAGING_APP', 'EMAIL', 'SMS']);

const locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language such as en or de-CH')
  .meta({ description: 'BCP 47 language tag', example: 'de-CH' });

const timeZone = text(1, 64)
  .refine(isTimeZone, 'must be a time zone such as Europe/Zurich')
  .meta({ description: 'IANA time zone', example: 'Europe/Zurich' });

const known = {
  name: text(1, 200),
  phones: z.array(text(1, 40)).max(20).meta({ description: 'With country code; kept in E.164' }),
  emails: z.array(text(3, 320)).max(20),
  locale: locale.nullish(),
  time_zone: timeZone.nullish(),
  assigned_agent: subject.nullish(),
  preferred_channel: preferredChannel.nullish(),
  do_not_contact: z.boolean(),
};

/** `PUT /ops/customers/:id`: the whole of what the firm knows; identifiers learned from messages are kept beside it. */
export const putCustomer = z
  .strictObject({
    ...known,
    phones: known.phones.default([]),
    emails: known.emails.default([]),
    do_not_contact: known.do_not_contact.default(false),
  })
  .meta({ id: 'PutCustomer' });
export type PutCustomer = z.infer<typeof putCustomer>;

/** `POST /ops/customers`: somebody new; without an id they get the firm's next number. */
export const createCustomer = putCustomer
  .extend({ id: customerId.optional().meta({ description: 'Left out: the next number, such as C-1042' }) })
  .meta({ id: 'CreateCustomer' });
export type CreateCustomer = z.infer<typeof createCustomer>;

const archived = z.boolean().meta({
  description:
    'A former customer: in no list, still found, and what they write still comes to them. Said by people alone',
});

/** `PATCH /ops/customers/:id`, a merge patch: what is left out stays, null takes away; a list is replaced as a whole. */
export const patchCustomer = z
  .strictObject({ ...known, archived })
  .partial()
  .meta({ id: 'PatchCustomer' });
export type PatchCustomer = z.infer<typeof patchCustomer>;

/**
 * Who said so: the customer's own `words`; the `provider`, whom they told by a keyword, a button or their settings, or who
 * refuses our messages to them; a `complaint` about a mail of ours; or `staff`.
 */
export const optOutSource = z.enum(['words', 'provider', 'complaint', 'staff']);
export type OptOutSource = z.infer<typeof optOutSource>;

/** Who said it: a person at the desk, another system, or a file. */
export const factSource = z.enum(['staff', 'automation', 'import']);
export type FactSource = z.infer<typeof factSource>;

const sourced = z.object({ source: factSource, at: instant }).optional();
const factSources = z.object({
  name: sourced,
  locale: sourced,
  time_zone: sourced,
  assigned_agent: sourced,
  preferred_channel: sourced,
  do_not_contact: sourced,
});
export type FactSources = z.infer<typeof factSources>;

const standing = z.object({ at: instant, source: optOutSource });

const identifierKind = z.enum(['phone', 'email', 'user_id']);

export const customerIdentifier = z
  .object({
    kind: identifierKind,
    value: z.string().meta({ description: 'A phone in E.164, an e-mail address, or an id at the messaging app' }),
    primary: z.boolean().meta({ description: 'The first of its kind: automated messages go to it' }),
    source: z.enum(['given', 'learned']).meta({ description: 'By the firm, or from a message' }),
    given_by: factSource.nullable().meta({ description: 'Of a given one; null: nobody remembers' }),
    opted_out: z
      .object({ MESSAGING_APP: standing.optional(), EMAIL: standing.optional(), SMS: standing.optional() })
      .meta({ description: 'Channels by which no automated message goes to it, since when and who said so' }),
  })
  .meta({ id: 'CustomerIdentifier' });
export type CustomerIdentifier = z.infer<typeof customerIdentifier>;

/** `PUT /ops/customers/:id/opt-outs` */
export const setOptOut = z
  .strictObject({
    kind: identifierKind,
    value: text(1, 320).meta({ description: 'One of the addresses of the customer' }),
    channel: preferredChannel,
    opted_out: z.boolean(),
    reason: text(1, 500),
  })
  .meta({ id: 'SetOptOut' });
export type SetOptOut = z.infer<typeof setOptOut>;

/** One decision about being written to by machines, as it was made; the newest of an address and channel counts. */
export const optOut = z
  .object({
    id: z.uuid(),
    kind: identifierKind.nullable().meta({ description: 'null: it was about all addresses of the channel' }),
    value: z.string().nullable(),
    channel: preferredChannel,
    opted_out: z.boolean(),
    source: optOutSource,
    at: instant,
    by: z.string().nullable().meta({ description: 'Who of the staff' }),
    reason: z.string().nullable(),
    communication_id: recordId.nullable().meta({ description: 'The message that said so, or that was refused' }),
  })
  .meta({ id: 'OptOut' });
export type OptOut = z.infer<typeof optOut>;

export const optOutPage = pageOf(optOut).meta({ id: 'OptOutPage' });
export const optOutQuery = z.strictObject(pageQuery);

export const customer = z
  .object({
    id: customerId,
    name: z.string(),
    phones: z
      .array(z.string())
      .meta({ description: 'E.164; the first is written to, and an answer goes to whoever wrote' }),
    emails: z.array(z.string()),
    user_ids: z.array(z.string()).meta({ description: 'Ids at the messaging app, learned from messages' }),
    identifiers: z
      .array(customerIdentifier)
      .meta({ description: 'The same phones, addresses and ids, with what is known of each' }),
    opted_out: z
      .array(preferredChannel)
      .meta({ description: 'Channels whose primary address asked for no automated messages' }),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    assigned_agent: z.string().nullable(),
    preferred_channel: preferredChannel.nullable(),
    do_not_contact: z.boolean(),
    archived_at: instant.nullable().meta({ description: 'Since when a former customer; null: none' }),
    sources: factSources.meta({
      description: 'Who said what is so now, and when; what a person said, other systems and files do not change',
    }),
    unread_count: z.int().min(0),
    version: z.int().min(1),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Customer' });
export type Customer = z.infer<typeof customer>;

export const customerDetail = customer
  .extend({
    ...waiting,
    window_open_until: instant.nullable().meta({
      description:
        'Until when the messaging app takes free text for whom a message that answers none goes to; null: an approved template only',
    }),
    merged_from: z
      .array(customerId)
      .meta({ description: 'Other ids of this customer, who was entered several times: each leads here' }),
  })
  .meta({ id: 'CustomerDetail' });
export type CustomerDetail = z.infer<typeof customerDetail>;

/** What became of a PUT or PATCH. */
export const savedCustomer = customerDetail
  .extend({
    kept: z.array(z.string()).meta({
      description:
        'Fields that are not as was asked, since a person said otherwise; `archived`: the customer is a former one, and stays so',
      example: ['phones'],
    }),
  })
  .meta({ id: 'SavedCustomer' });

export type SavedCustomer = z.infer<typeof savedCustomer>;

/** `POST /ops/customers/:id/merge` */
export const mergeCustomer = z
  .strictObject({
    into: customerId.meta({ description: 'Who stays; all of the other goes along, and its id leads here' }),
  })
  .meta({ id: 'MergeCustomer' });
export type MergeCustomer = z.infer<typeof mergeCustomer>;

/** Who may be the same person, and what speaks for it. */
export const customerDuplicates = z
  .object({
    data: z.array(
      z.object({
        customer,
        because: z
          .array(z.object({ kind: z.enum(['name', ...identifierKind.options]), value: z.string() }))
          .meta({ description: 'What both have' }),
      }),
    ),
  })
  .meta({ id: 'CustomerDuplicates' });
export type CustomerDuplicates = z.infer<typeof customerDuplicates>;

export const customerPage = pageOf(customer).meta({ id: 'CustomerPage' });

export const assignCustomers = z
  .strictObject({ customer_ids: z.array(customerId).min(1).max(200), assigned_agent: subject.nullable() })
  .meta({ id: 'AssignCustomers' });
export type AssignCustomers = z.infer<typeof assignCustomers>;

export const customerAssignments = z
  .object({
    data: z.array(z.object({ customer_id: customerId, outcome: z.enum(['assigned', 'unchanged', 'not_found']) })),
  })
  .meta({ id: 'CustomerAssignments' });
export type CustomerAssignments = z.infer<typeof customerAssignments>;

export const customerListQuery = z.strictObject({
  query: text(1, 200).optional().meta({ description: 'Part of a name, phone, e-mail address or id' }),
  ids: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}(,[A-Za-z0-9._:-]{1,64}){0,49}$/, 'must be up to 50 ids with commas between them')
    .optional()
    .meta({ description: 'Only these customers, up to 50, with commas between their ids', example: 'C-1001,C-1002' }),
  unread: flag.optional().meta({ description: 'Only customers with (or without) unread records' }),
  archived: flag.optional().meta({
    description:
      'Only former customers, or none of them. Without it they are left out, unless customers are looked for by query, ids or unread messages',
  }),
  ...pageQuery,
});
export type CustomerListQuery = z.infer<typeof customerListQuery>;
