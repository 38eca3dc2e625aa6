import { z } from 'zod';
import { instant, languageTag, plainDate, text } from '../text.ts';
import { preferredChannel } from './customer.ts';
import { mostSteps, outreachStep, putOutreachStep } from './outreach.ts';
import { rung } from './renewal.ts';
import { taskPriority } from './task-priority.ts';

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 20:00');

/** What each rung does: by which channels it writes to the customer, and which task it makes sure of. */
const rungStep = {
  channels: z.array(preferredChannel).max(3).meta({ description: 'Each is used; one that cannot be falls through' }),
  task: taskPriority.nullable(),
};
const follows = 'What follows while the customer says nothing, until the next rung';

const ofEachRung = <Step extends z.ZodType>(step: Step) => ({
  '90': step,
  '60': step,
  '30': step,
  '14': step,
  '7': step,
  OVERDUE: step,
});

const steps = z.object(
  ofEachRung(z.object({ ...rungStep, outreach: z.array(outreachStep).meta({ description: follows }) })),
);
const putSteps = z.strictObject(
  ofEachRung(
    z.strictObject({
      ...rungStep,
      outreach: z
        .array(putOutreachStep)
        .max(mostSteps)
        .optional()
        .meta({ description: `${follows}; left out: as it is` }),
    }),
  ),
);

const night = { from: timeOfDay, until: timeOfDay };
const ofNight = { description: "In the customer's time zone: automated messages wait for its end; null: none" };

export const alertPlan = z
  .object({
    steps,
    fall_through: z.array(preferredChannel).meta({ description: 'In which order another channel is looked for' }),
    quiet_hours: z.object(night).nullable().meta(ofNight),
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'AlertPlan' });
export type AlertPlan = z.infer<typeof alertPlan>;

export const putAlertPlan = z
  .strictObject({
    steps: putSteps,
    fall_through: z.array(preferredChannel).max(3),
    quiet_hours: z.strictObject(night).nullable().meta(ofNight),
  })
  .meta({ id: 'PutAlertPlan' });
export type PutAlertPlan = z.infer<typeof putAlertPlan>;

const subject = text(1, 200).nullable().meta({ description: 'Of an e-mail, which must have one, and of nothing else' });
const body = text(1, 4_096).meta({ description: 'With `{{name}}`, `{{service}}`, `{{due_date}}`, `{{days}}`' });

export const template = z
  .object({
    rung,
    channel: preferredChannel,
    locale: languageTag,
    subject: z.string().nullable(),
    body: z.string(),
    several: z
      .object({ subject: z.string().nullable(), body: z.string() })
      .nullable()
      .meta({ description: 'What a message says that names several renewals; null: the words of another language' }),
    version: z.int().min(1),
    updated_at: instant,
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof template>;
export const templateList = z.object({ data: z.array(template) }).meta({ id: 'TemplateList' });

const severalWords = z.strictObject({
  subject: subject.default(null),
  body: text(1, 4_096).meta({
    description:
      'With `{{name}}`, `{{services}}`, and a line for each in `{{#renewals}}…{{/renewals}}`: `{{service}}`, `{{number}}`, `{{due_date}}`, `{{days}}`, `{{#overdue}}…{{/overdue}}`; in `{{#more}}…{{/more}}` stands how many did not fit',
  }),
});

export const putTemplate = z
  .strictObject({
    subject: subject.default(null),
    body,
    several: severalWords.optional().meta({ description: 'Left out, it stays as it is' }),
  })
  .meta({ id: 'PutTemplate' });
export type PutTemplate = z.infer<typeof putTemplate>;

const renewalToName = z.strictObject({
  service: text(1, 100),
  number: text(1, 200).nullable().default(null),
  due_date: plainDate,
  days: z.int().meta({ description: 'Below 0 once it is overdue' }),
});

export const previewTemplate = putTemplate
  .omit({ several: true })
  .extend({
    renewals: z
      .array(renewalToName)
      .min(2)
      .max(50)
      .optional()
      .meta({ description: 'Given, the words are those for several renewals' }),
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
