import type { Template } from '../api/types.ts';
import { type Rung, rungs } from '../renewals/rung-names.ts';

export type Channel = Template['channel'];

export const channels: readonly Channel[] = ['MESSAGING_APP', 'EMAIL', 'SMS'];

/** Where words stand in for something; `locale` null: a language that has none yet. */
export interface TemplatePlace {
  rung: Rung;
  channel: Channel;
  locale: string | null;
}

const written = new RegExp(`^(${rungs.join('|')})-(${channels.join('|')})(?:-(.+))?$`);

/** As an address names it: `30-EMAIL-de-CH`, or `30-EMAIL` for a new language. */
export const nameOfPlace = ({ rung, channel, locale }: TemplatePlace): string =>
  [rung, channel, ...(locale === null ? [] : [locale])].join('-');

export function placeOf(name: string): TemplatePlace | null {
  const [, rung, channel, locale = null] = written.exec(name) ?? [];
  return rung && channel ? { rung: rung as Rung, channel: channel as Channel, locale } : null;
}

/** Undefined: it is no language tag. */
export function canonicalLocale(locale: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}

const names = new Intl.DisplayNames(undefined, { type: 'language' });
export const languageOf = (locale: string): string =>
  (canonicalLocale(locale) ? names.of(locale) : undefined) ?? locale;

export interface Words {
  subject: string;
  body: string;
}

/** What the service takes: a subject belongs to an e-mail alone. */
export const wordsToSend = ({ subject, body }: Words, channel: Channel) => ({
  subject: channel === 'EMAIL' && subject.trim() !== '' ? subject : null,
  body,
});

export interface SeveralDraft {
  severalSubject: string;
  severalBody: string;
}

/** Words for several renewals; none are written as long as nothing is typed. Where there are some, the service refuses empty ones. */
export const severalToSend = (
  { severalSubject: subject, severalBody: body }: SeveralDraft,
  channel: Channel,
  areThere = false,
) => (body.trim() === '' && !areThere ? undefined : wordsToSend({ subject, body: body.trim() && body }, channel));

/** The language of a letter to customers who are else written to in this one; null: its own. */
export function languageOfSeveral(all: readonly Template[], { rung, channel, locale }: TemplatePlace): string | null {
  const written = all.filter((one) => one.rung === rung && one.channel === channel && one.several !== null);
  if (locale === null || written.some((one) => one.locale === locale)) return null;
  const parts = locale.split('-');
  const tags = [...parts.map((_, cut) => parts.slice(0, parts.length - cut).join('-')), 'en'];
  return tags.find((tag) => written.some((one) => one.locale === tag)) ?? null;
}

const dayMs = 86_400_000;
const daysPastWhenOverdue = 3;

/** A renewal to try words with, as it stands when the alert of that rung goes out. */
export function exampleFor(rung: Rung, today: Date): { due_date: string; days: number } {
  const days = rung === 'OVERDUE' ? -daysPastWhenOverdue : Number(rung);
  return { due_date: new Date(today.getTime() + days * dayMs).toISOString().slice(0, 10), days };
}

/** The text with a variable at the caret, or in place of what is selected. */
export const withInserted = (text: string, variable: string, from: number, until: number): string =>
  text.slice(0, from) + variable + text.slice(until);
