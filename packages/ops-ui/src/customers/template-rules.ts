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
