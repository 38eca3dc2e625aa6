import type { Proposal, RetentionPolicy, RetentionRun } from '../api/types.ts';
import { counted } from '../parts/words.ts';

export type Subject = keyof RetentionPolicy['keep_days'];

/** What is kept for a set time, in the order it is shown. */
export const subjectNames: Record<Subject, string> = {
  MESSAGING_APP: 'Messaging app',
  EMAIL: 'E-mails',
  SMS: 'SMS',
  CALL_LOG: 'Call logs',
  INTERNAL_NOTE: 'Notes',
  RAW_WEBHOOK_PAYLOAD: 'What providers posted, as it came',
  AUDIT: 'Who changed what',
  SERVICE_ROW: 'Working records of the services',
};

export const subjects = Object.keys(subjectNames) as Subject[];

/** Such as "10 years": what a number of days comes to. */
export function daysAsYears(days: number): string {
  const years = days / 365.25;
  if (years < 1) return '';
  const rounded = Math.round(years * 10) / 10;
  return `about ${counted(rounded, 'year')}`;
}

export const rowsOf = ({ places }: Pick<RetentionRun, 'places'>): number =>
  places.reduce((sum, { rows }) => sum + rows, 0);

/** Such as "SMS for 400 days instead of 2557". */
export const proposedInWords = ({ keep_days }: Pick<Proposal, 'keep_days'>): string =>
  subjects
    .flatMap((subject) => {
      const days = keep_days[subject];
      return days ? [`${subjectNames[subject]} for ${days.to} days instead of ${days.from}`] : [];
    })
    .join('; ');
