/** What a service type is called, by language tag. */
export type Labels = Readonly<Record<string, string>>;

/** In one order: two that say the same are then the same. What is left empty is not said. */
export const sorted = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([, label]) => label !== '')
      .sort(([one], [other]) => one.localeCompare(other)),
  );

export const withLabel = (labels: Labels, language: string, label: string): Labels =>
  sorted({ ...labels, [language]: label });

export const trimmed = (labels: Labels): Labels =>
  sorted(Object.fromEntries(Object.entries(labels).map(([language, label]) => [language, label.trim()])));

/** As a message in that language calls the first of them: `de` will do for `de-CH`. */
export function exampleIn(language: string, types: readonly { label: string; labels: Labels }[]): string {
  const [{ label, labels } = { label: 'Residence permit', labels: {} as Labels }] = types;
  return labels[language] ?? labels[language.split('-')[0] ?? ''] ?? label;
}

/** Of the words that messages are written in, and whatever is said already. */
export const languagesOf = (labels: Labels, words: readonly { locale: string }[]): string[] =>
  [...new Set([...words.map(({ locale }) => locale), ...Object.keys(labels)])].sort();

/** All of it in a line. */
export const inALine = (labels: Labels): string =>
  Object.entries(labels)
    .map(([language, label]) => `, ${language}: ${label}`)
    .join('');
