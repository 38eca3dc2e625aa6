import type { Customer } from '../api/types.ts';
import { fieldNames } from '../history/history-words.ts';

type Source = NonNullable<Customer['sources']['name']>['source'];

export const fieldsInWords = (fields: readonly string[]): string =>
  fields.map((field) => fieldNames[field] ?? field).join(', ');

/** Who gave it, be it an address or what a field says. */
export const givenInWords: Record<Source, string> = {
  staff: 'set here',
  automation: 'told by another system',
  import: 'told by a file',
};

/** Undefined: nobody remembers. */
export function sourceInWords(
  sources: Customer['sources'],
  field: string,
  dayOf: (day: string) => string,
): string | undefined {
  const said = (sources as Record<string, Customer['sources']['name']>)[field];
  return said && `${givenInWords[said.source]} on ${dayOf(said.at.slice(0, 10))}`;
}

/** A person said something that other systems and files leave as it is. */
export const isKept = ({ sources, identifiers }: Pick<Customer, 'sources' | 'identifiers'>): boolean =>
  Object.values(sources).some((said) => said?.source === 'staff') ||
  identifiers.some((one) => one.given_by === 'staff');
