/** What the provider takes as the words of a template. */
export const longestWords = 1024;
const countedFrom = 900;

/** As they stand in a template, which takes no line breaks and no runs of blanks. */
export const wordsInTemplate = (body: string): string => body.replace(/\s+/gu, ' ').trim();

/** Which one the service would take: in the customer's language and region, else in the language, else the first. */
export function usualTemplate<T extends { language: string }>(
  templates: readonly T[],
  locale: string | null,
): T | undefined {
  const wanted = (locale ?? '').replaceAll('-', '_').toLowerCase();
  const languages = templates.map(({ language }) => language.toLowerCase());
  const exactly = languages.indexOf(wanted);
  const roughly = languages.findIndex((one) => one.split('_')[0] === wanted.split('_')[0]);
  return templates[exactly] ?? templates[roughly] ?? templates[0];
}

export interface Room {
  /** Said once there is little left. */
  count: string | null;
  /** Why it cannot be sent. */
  problem: string | null;
}

const written = (count: number): string => count.toLocaleString('en');

/** Whether these words fit a template. */
export function roomFor(body: string): Room {
  const { length } = wordsInTemplate(body);
  return {
    count: length > countedFrom ? `${written(length)} of ${written(longestWords)} characters` : null,
    problem: length > longestWords ? 'Too long for a template.' : null,
  };
}

/** The words an alert is sent in: those of `de-CH`, else of `de`, else of `en`. */
export function wordsIn<T extends { locale: string }>(all: readonly T[], locale: string | null): T | undefined {
  const parts = (locale ?? '').toLowerCase().split('-');
  const tags = parts.map((_, cut) => parts.slice(0, parts.length - cut).join('-'));
  return [...tags, 'en'].flatMap((tag) => all.find((one) => one.locale.toLowerCase() === tag) ?? [])[0];
}

const languageOf = (locale: string) => locale.toLowerCase().split('-')[0];

/** Dates among the words are written as the customer does, if the words are in the customer's language. */
export const dateLanguage = (words: string, locale: string | null): string =>
  locale !== null && languageOf(locale) === languageOf(words) ? locale : words;

/** Words for days that are left say none once the date is past. */
export const daysSaid = (rung: string, daysUntilDue: number): number =>
  rung === 'OVERDUE' ? daysUntilDue : Math.max(daysUntilDue, 0);
