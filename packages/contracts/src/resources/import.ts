import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, flag, instant, plainDate, recordId, text } from '../text.ts';
import { putCustomer } from './customer.ts';
import { createRenewal, renewal } from './renewal.ts';

export const mostImportBytes = 40 * 1024 * 1024;

const importCounts = z.object({
  rows: z.int().min(0),
  to_create: z.int().min(0),
  to_change: z.int().min(0),
  unchanged: z.int().min(0),
  refused: z.int().min(0),
  done: z.int().min(0).meta({ description: 'Created or changed so far' }),
});
export type ImportCounts = z.infer<typeof importCounts>;

const mayBeUnknown = z.int().min(0).nullable();
const foreseenDeeds = z.object({
  tasks: mayBeUnknown.meta({
    description: 'Renewals of which somebody here is told by a task; null: the alert plan could not be asked for',
  }),
  flags: z.int().min(0).meta({ description: 'Renewals that become overdue, each with its compliance flag' }),
  messages: mayBeUnknown.meta({ description: 'To customers; null: the alert plan could not be asked for' }),
});

const importForecast = z.object({
  as_of: plainDate.meta({ description: 'The day of the next refresh' }),
  tonight: foreseenDeeds.meta({ description: 'What that refresh does' }),
  next_30_days: foreseenDeeds.meta({ description: 'That one and those of the 30 days after it' }),
});
export type ImportForecast = z.infer<typeof importForecast>;

/** A file of rows: looked through first, and taken in when somebody says so. */
export const csvImport = z
  .object({
    id: recordId,
    name: z.string(),
    status: z.enum(['CHECKING', 'CHECKED', 'RUNNING', 'COMPLETED', 'FAILED']),
    counts: importCounts,
    forecast: importForecast.nullable().meta({
      description:
        'What the renewals it would make or change lead to, as things stood when its rows were looked through; null: nothing is foreseen',
    }),
    failure: z.string().nullable(),
    created_by: z.string(),
    created_at: instant,
    updated_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: 'CsvImport' });
export type CsvImport = z.infer<typeof csvImport>;

export const importRow = z
  .object({
    line: z.int().min(1),
    outcome: z.enum(['create', 'change', 'unchanged', 'refused', 'created', 'changed']),
    key: z.string().nullable().meta({ description: 'What the row is about' }),
    id: z.string().nullable().meta({ description: 'The record it made or changed' }),
    errors: z.array(z.object({ column: z.string(), message: z.string() })),
    kept: z.array(z.string()).meta({
      description:
        'Columns that changed nothing, since a person had said otherwise; `archived`: the customer is a former one, and stays so',
    }),
    responsible_agent: z
      .string()
      .nullable()
      .meta({ description: 'Who deals with that record today; null: nobody, or there is no such record yet' }),
  })
  .meta({ id: 'ImportRow' });
export type ImportRow = z.infer<typeof importRow>;

export const importRowPage = pageOf(importRow).meta({ id: 'ImportRowPage' });
export const importRowsQuery = z.strictObject({
  outcome: importRow.shape.outcome.optional(),
  ...pageQuery,
});
export type ImportRowsQuery = z.infer<typeof importRowsQuery>;

const fileName = text(1, 255).default('import.csv');
const dryRun = flag.prefault('true').meta({ description: 'false: take in the good rows at once' });

export const importQuery = z.strictObject({ name: fileName, dry_run: dryRun });
export type ImportQuery = z.infer<typeof importQuery>;

export const seedAlerts = z.enum(['silent', 'urgent-only']).default('silent').meta({
  description: 'Whom rungs already reached write to: no customer, or only from 14 days on; staff are told all the same',
});
export const renewalImportQuery = importQuery.extend({ seed_alerts: seedAlerts });
export type RenewalImportQuery = z.infer<typeof renewalImportQuery>;

/** Spreadsheets write `TRUE` where they read `true`. */
const inAnyCase = <T extends z.ZodType<unknown, string>>(words: T, description: string) =>
  z
    .string()
    .toLowerCase()
    .pipe(words)
    .optional()
    .meta({ description: `${description}, in letters of any case` });

/** The columns of a file of renewals. What a cell leaves empty stays as it is. */
export const renewalImportRow = z.object({
  customer_id: customerId,
  service_type: createRenewal.shape.service_type,
  due_date: plainDate,
  external_id: text(1, 200).optional().meta({ description: "The firm's own id of it, by which it is known again" }),
  policy_id: createRenewal.shape.policy_id.unwrap().unwrap().optional(),
  notes: createRenewal.shape.notes.unwrap().unwrap().optional(),
  assigned_agent: createRenewal.shape.assigned_agent.unwrap().unwrap().optional(),
  reminders: inAnyCase(renewal.shape.reminders, '`off`: nobody writes to the customer by machine; or `on`'),
});
export type RenewalImportRow = z.infer<typeof renewalImportRow>;

/** Several in one cell: none of these signs stands in a phone number or a plain e-mail address. */
const listed = <T extends z.ZodType<string[], string[]>>(list: T, each: string) =>
  z
    .string()
    .transform((cell) => cell.split(/[,;|\n]/).map((one) => one.trim()))
    .transform((all) => all.filter((one) => one !== ''))
    .pipe(list)
    .optional()
    .meta({ description: `${each}; several with a comma, a semicolon, a bar or a line break between them` });

/** The columns of a file of customers. What a cell leaves empty stays as it is. */
export const customerImportRow = z.object({
  customer_id: customerId,
  name: putCustomer.shape.name,
  phones: listed(putCustomer.shape.phones.unwrap(), 'Phone numbers with country code'),
  emails: listed(putCustomer.shape.emails.unwrap(), 'E-mail addresses'),
  locale: putCustomer.shape.locale.unwrap().unwrap().optional(),
  time_zone: putCustomer.shape.time_zone.unwrap().unwrap().optional(),
  assigned_agent: putCustomer.shape.assigned_agent.unwrap().unwrap().optional(),
  preferred_channel: putCustomer.shape.preferred_channel.unwrap().unwrap().optional(),
  do_not_contact: inAnyCase(flag, '`true` or `false`'),
});
export type CustomerImportRow = z.infer<typeof customerImportRow>;
