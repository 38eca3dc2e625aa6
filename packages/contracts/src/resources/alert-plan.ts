import { z } from 'zod';
import { instant, plainDate, text } from '../text.ts';
import { preferredChannel } from './customer.ts';
import { rung } from './renewal.ts';
import { taskPriority } from './task.ts';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 20:00');

/** What each rung does: by which channels it writes to the customer, and which task it makes sure of. */
const step = z.strictObject({
  channels: z.array(preferredChannel).max(3).meta({ description: 'Each is used; one that cannot be falls through' }),
  task: taskPriority.nullable(),
});

const steps = z.strictObject({ '90': step, '60': step, '30': step, '14': step, '7': step, OVERDUE: step });

const quietHours = z
  .strictObject({ from: timeOfDay, until: timeOfDay })
  .nullable()
  .meta({ description: "In the customer's time zone: automated messages wait for its end; null: none" });

export const alertPlan = z
  .object({
    steps,
    fall_through: z.array(preferredChannel).meta({ description: 'In which order another channel is looked for' }),
    quiet_hours: quietHours,
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'AlertPlan' });
export type AlertPlan = z.infer<typeof alertPlan>;

export const putAlertPlan = z
  .strictObject({ steps, fall_through: z.array(preferredChannel).max(3), quiet_hours: quietHours })
  .meta({ id: 'PutAlertPlan' });
export type PutAlertPlan = z.infer<typeof putAlertPlan>;

export const templateLocale = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or de-CH');

const subject = text(1, 200).nullable().meta({ description: 'Of an e-mail, which must have one, and of nothing else' });
const body = text(1, 4_096).meta({ description: 'With `{{name}}`, `{{service}}`, `{{due_date}}`, `{{days}}`' });

export const template = z
  .object({
    rung,
    channel: preferredChannel,
    locale: templateLocale,
    subject: z.string().nullable(),
    body: z.string(),
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof template>;
export const templateList = z.object({ data: z.array(template) }).meta({ id: 'TemplateList' });

export const putTemplate = z.strictObject({ subject: subject.default(null), body }).meta({ id: 'PutTemplate' });
export type PutTemplate = z.infer<typeof putTemplate>;

export const previewTemplate = putTemplate
  .extend({
    name: text(1, 200).default('Demo Customer'),
    service: text(1, 100).default('Residence permit'),
    due_date: plainDate.default('2030-01-31'),
    days: z.int().default(30),
  })
  .meta({ id: 'PreviewTemplate' });
export type PreviewTemplate = z.infer<typeof previewTemplate>;

export const templatePreview = z
  .object({ subject: z.string().nullable(), body: z.string() })
  .meta({ id: 'TemplatePreview' });
