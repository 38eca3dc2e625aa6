import type { Customer } from '../api/types.ts';
import { fieldNames } from '../history/history-words.ts';

type Source = NonNullable<Customer['sources']['name']>['source'];

export const fieldsInWords = (fields: readonly string[]): string =>
  fields.map((field) => fieldNames[field] ?? field).join(', ');

const whose: Record<Source, string> = {
  staff: 'Set here, and no other system or file changes it',
  automation: 'From another system',
  import: 'From a file',
};

/** A line for each that said something: who says what of the customer. */
export function sourcesInWords({ sources, identifiers }: Pick<Customer, 'sources' | 'identifiers'>): string[] {
  const of = (source: Source) => {
    const fields = Object.entries(sources).flatMap(([field, said]) => (said?.source === source ? [field] : []));
    const given = identifiers.filter(({ given_by }) => given_by === source).map(({ value }) => value);
    return [...(fields.length > 0 ? [fieldsInWords(fields)] : []), ...given];
  };
  return (Object.keys(whose) as Source[]).flatMap((source) => {
    const said = of(source);
    return said.length > 0 ? [`${whose[source]}: ${said.join(', ')}`] : [];
  });
}

/** Behind an address: who gave it. */
export const givenInWords: Record<Source, string> = {
  staff: 'set here',
  automation: 'from another system',
  import: 'from a file',
};
