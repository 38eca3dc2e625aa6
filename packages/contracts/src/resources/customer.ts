import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, subject, text } from '../text.ts';

export const preferredChannel = z.enum(['MESSAGING_APP', 'EMAIL', 'SMS']);

const locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a BCP 47 language tag such as en or de-CH')
  .meta({ description: 'BCP 47 language tag', example: 'de-CH' });

const timeZone = text(1, 64)
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Zurich')
  .meta({ description: 'IANA time zone', example: 'Europe/Zurich' });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** `PUT /ops/customers/:id`: the whole of what the firm knows; identifiers learned from messages are kept beside it. */
export const putCustomer = z
  .strictObject({
    name: text(1, 200),
    phones: z.array(text(1, 40)).max(20).default([]).meta({ description: 'With country code; kept in E.164' }),
    emails: z.array(text(3, 320)).max(20).default([]),
    locale: locale.nullish(),
    time_zone: timeZone.nullish(),
    assigned_agent: subject.nullish(),
    preferred_channel: preferredChannel.nullish(),
    do_not_contact: z.boolean().default(false),
  })
  .meta({ id: 'PutCustomer' });
export type PutCustomer = z.infer<typeof putCustomer>;

export const customer = z
  .object({
    id: customerId,
    name: z.string(),
    phones: z
      .array(z.string())
      .meta({ description: 'E.164; the first is written to, and an answer goes to whoever wrote' }),
    emails: z.array(z.string()),
    user_ids: z.array(z.string()).meta({ description: 'Ids at the messaging app, learned from messages' }),
    opted_out: z
      .array(preferredChannel)
      .meta({ description: 'Channels on which the customer asked for no automated messages' }),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    assigned_agent: z.string().nullable(),
    preferred_channel: preferredChannel.nullable(),
    do_not_contact: z.boolean(),
    unread_count: z.int().min(0),
    version: z.int().min(1),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Customer' });
export type Customer = z.infer<typeof customer>;

export const customerPage = pageOf(customer).meta({ id: 'CustomerPage' });

export const customerListQuery = z.strictObject({
  query: text(1, 200).optional().meta({ description: 'Part of a name, phone, e-mail address or id' }),
  ids: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}(,[A-Za-z0-9._:-]{1,64}){0,49}$/, 'must be up to 50 ids with commas between them')
    .optional()
    .meta({ description: 'Only these customers, up to 50, with commas between their ids', example: 'C-1001,C-1002' }),
  unread: flag.optional().meta({ description: 'Only customers with (or without) unread records' }),
  ...pageQuery,
});
export type CustomerListQuery = z.infer<typeof customerListQuery>;
