import { z } from 'zod';
import { instant, plainDate, text } from '../text.ts';
import { timeOfDay } from './alert-plan.ts';

export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;

const day = { date: plainDate, name: text(1, 100) };
const closed = z.boolean().meta({ description: 'false: the firm works on this day, whatever public holiday it is' });

const hours = {
  from: timeOfDay,
  until: z.union([timeOfDay, z.literal('24:00')], 'must be a time of day such as 18:00, or 24:00'),
};
const inHours = { description: "Of each working day, in the firm's time zone; the whole day is 00:00 until 24:00" };

const content = {
  working_days: z.array(z.enum(weekdays)).max(7),
  hours: z.object(hours).meta(inHours),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be the two capital letters of a country, such as CH')
    .nullable()
    .meta({ description: 'Whose public holidays are no working days' }),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,10}$/, 'must be the code of a region, such as ZH')
    .nullable()
    .meta({ description: 'Of that country, where its holidays differ' }),
  holidays: z.array(z.object({ ...day, closed })).meta({ description: "The firm's own days" }),
  answer_within_hours: z
    .int()
    .min(1)
    .max(400)
    .meta({ description: 'Working hours within which customers are answered' }),
};

export const calendar = z
  .object({ ...content, version: z.int().min(1), updated_at: instant, updated_by: z.string().nullable() })
  .meta({ id: 'Calendar' });
export type Calendar = z.infer<typeof calendar>;

export const putCalendar = z
  .strictObject({
    ...content,
    hours: z.strictObject(hours).meta(inHours),
    country: content.country.default(null),
    region: content.region.default(null),
    holidays: z
      .array(z.strictObject({ ...day, closed: closed.default(true) }))
      .max(400)
      .default([]),
  })
  .meta({ id: 'PutCalendar' });
export type PutCalendar = z.infer<typeof putCalendar>;

export const calendarYearQuery = z.strictObject({ year: z.coerce.number().int().min(2000).max(2198) });

/** The days of a year on which something else holds than on others of its week. */
export const calendarYear = z
  .object({
    year: z.int(),
    days: z.array(
      z.object({
        date: plainDate,
        name: z.string(),
        kind: z.enum(['public', 'own']),
        closed: z.boolean().meta({ description: 'No message of an alert leaves on it' }),
      }),
    ),
  })
  .meta({ id: 'CalendarYear' });
export type CalendarYear = z.infer<typeof calendarYear>;

const named = z.object({ code: z.string(), name: z.string() });
export const calendarCountries = z
  .object({ data: z.array(named.extend({ regions: z.array(named) })) })
  .meta({ id: 'CalendarCountries' });
export type CalendarCountries = z.infer<typeof calendarCountries>;
