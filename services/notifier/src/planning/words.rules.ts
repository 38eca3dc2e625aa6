import type { Template } from '@ops/contracts/resources/alert-plan';
import type { OutsideType } from '@ops/contracts/resources/communication';

/** What a template may name. */
export interface Variables {
  name: string;
  service: string;
  due_date: string;
  /** Until the date, or since it. */
  days: number;
}

const variableNames = ['name', 'service', 'due_date', 'days'] as const satisfies readonly (keyof Variables)[];

export interface Words {
  subject: string | null;
  body: string;
}

/** The date as it is written where the customer reads, if the words are in that language; else as the words have it. */
export function render(words: Words, given: Variables, locale: string): Words {
  const values: Record<string, string> = {
    name: onOneLine(given.name),
    service: onOneLine(given.service),
    due_date: longDate(given.due_date, locale),
    days: String(Math.abs(given.days)),
  };
  const filled = (text: string) => text.replace(placeholder, (_, name: string) => values[name.trim()] ?? '');
  return { subject: words.subject === null ? null : filled(words.subject), body: filled(words.body) };
}

const placeholder = /\{\{([^{}]*)\}\}/g;

/** A name must not begin a new header or paragraph. */
export const onOneLine = (value: string): string => value.replace(/\s+/gu, ' ').trim();

export function longDate(date: string, locale: string): string {
  return formatterFor(writable(locale)).format(new Date(`${date}T00:00:00Z`));
}

/** Anybody may say of a customer that they read any language. */
const mostFormatters = 100;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** To make one takes far longer than to use it. */
function formatterFor(locale: string): Intl.DateTimeFormat {
  const known = formatters.get(locale);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' });
  if (formatters.size >= mostFormatters) formatters.clear();
  formatters.set(locale, made);
  return made;
}

const writable = (locale: string): string => canonicalLocale(locale) ?? 'en';

/** `de-CH` for `de-ch`: a language has one name. Undefined for what has the form of a language tag and is none. */
export function canonicalLocale(locale: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}

/** What is wrong with it, each field by its name. */
export function problemsOf(words: Words, channel: OutsideType): { path: string; message: string }[] {
  const found = [
    ...Object.entries(words).flatMap(([path, text]) => unknownIn(text ?? '').map((message) => ({ path, message }))),
    ...subjectProblems(words, channel).map((message) => ({ path: 'subject', message })),
  ];
  return found.length > 0 ? found : lengthProblems(words, channel).map((message) => ({ path: 'body', message }));
}

const known = variableNames.map((name) => `{{${name}}}`).join(', ');

function unknownIn(text: string): string[] {
  const named = [...text.matchAll(placeholder)].map(([, name = '']) => name.trim());
  const unknown = [...new Set(named)].filter((name) => !(variableNames as readonly string[]).includes(name));
  const rest = text.replace(placeholder, '');
  return [
    ...unknown.map((name) => `{{${name.slice(0, 50)}}} is not a variable: there are ${known}`),
    ...(/\{\{|\}\}/.test(rest) ? [`has braces that enclose no variable: there are ${known}`] : []),
  ];
}

export function subjectProblems({ subject }: Words, channel: OutsideType): string[] {
  if (channel !== 'EMAIL') return subject === null ? [] : ['is only for an e-mail'];
  if (subject === null) return ['is required: an e-mail has one'];
  return /[\r\n]/.test(subject) ? ['must be one line'] : [];
}

/** What goes out on each channel in one piece; the messaging app takes no more in an approved template. */
export const longest: Partial<Record<OutsideType, number>> = { MESSAGING_APP: 1_024, SMS: 1_600 };

const longestValues: Variables = {
  name: 'n'.repeat(200),
  service: 's'.repeat(100),
  due_date: '2030-09-30',
  days: 3_650,
};

function lengthProblems(words: Words, channel: OutsideType): string[] {
  const most = longest[channel];
  const length = render(words, longestValues, 'en').body.length;
  return most !== undefined && length > most
    ? [`may become ${length} characters with the longest name and service, and ${most} can be sent`]
    : [];
}

/** `de-CH`, then `de`, then `en`; tags are the same in whatever letter case. */
export function bestWords<T extends Pick<Template, 'locale'>>(all: readonly T[], locale: string | null): T | undefined {
  const tags = [...shorter(comparable(locale ?? '')), 'en'];
  for (const tag of tags) {
    const found = all.find((one) => comparable(one.locale) === tag);
    if (found) return found;
  }
  return undefined;
}

/** What it is called in that language: `de` will do for `de-CH`. Undefined: it has no name of its own there. */
export function labelIn(labels: Readonly<Record<string, string>>, locale: string): string | undefined {
  const byTag = new Map(Object.entries(labels).map(([tag, label]) => [comparable(tag), label]));
  return shorter(comparable(locale)).flatMap((tag) => byTag.get(tag) ?? [])[0];
}

const comparable = (locale: string): string => (canonicalLocale(locale) ?? locale).toLowerCase();

function shorter(locale: string): string[] {
  const parts = locale.split('-').filter(Boolean);
  return parts.map((_, cut) => parts.slice(0, parts.length - cut).join('-'));
}

/** Of the words found for a customer: how dates and services are called where the customer is, if the words are in that language. */
export const localeOf = (words: Pick<Template, 'locale'>, locale: string | null): string =>
  languageOf(locale ?? '') === languageOf(words.locale) && locale !== null ? locale : words.locale;

const languageOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? '';
