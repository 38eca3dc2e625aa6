import type { FactSource, FactSources } from '@ops/contracts/resources/customer';
import { given, isFormer, type Profile, type StoredCustomer, type Wanted } from './customer.rules.ts';

type Field = keyof Profile;
type Kind = 'phone' | 'email';

export interface Kept {
  wanted: Wanted;
  /** What is not as was asked. */
  kept: string[];
}

/** What other systems and files say gives way to what people said; nobody knows who said what is older than this. */
export function keepPeoples(stored: StoredCustomer | undefined, wanted: Wanted): Kept {
  if (!stored || wanted.by === 'staff') return { wanted, kept: [] };
  const fields = fieldsOf(wanted).filter(
    (field) => stored.sources[field]?.source === 'staff' && stored[field] !== wanted.profile[field],
  );
  const profile = { ...wanted.profile, ...Object.fromEntries(fields.map((field) => [field, stored[field]])) };
  const phones = withPeoples(stored, 'phone', wanted.phones);
  const emails = withPeoples(stored, 'email', wanted.emails);
  const lists = [
    ...(isSame(phones, wanted.phones) ? [] : ['phones']),
    ...(isSame(emails, wanted.emails) ? [] : ['emails']),
  ];
  const former = isFormer(stored) ? ['archived'] : [];
  return { wanted: { ...wanted, profile, phones, emails }, kept: [...fields, ...lists, ...former] };
}

const fieldsOf = ({ profile }: Wanted) => Object.keys(profile) as Field[];

/** Those of people stay, each at its place: which is first is theirs to say as well. */
function withPeoples(stored: StoredCustomer, kind: Kind, wanted: readonly string[]): string[] {
  const before = given(stored, kind);
  const peoples = before.filter((value) => giverOf(stored, kind, value) === 'staff');
  const all = wanted.filter((value) => !peoples.includes(value));
  for (const value of peoples) all.splice(before.indexOf(value), 0, value);
  return all;
}

const giverOf = (stored: StoredCustomer | undefined, kind: Kind, value: string): FactSource | null | undefined =>
  stored?.identifiers.find((one) => one.source === 'given' && one.kind === kind && one.value === value)?.given_by;

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((value, index) => value === right[index]);

/** Whoever says again what is so already takes nothing over. */
export function sourcesAfter(stored: StoredCustomer | undefined, wanted: Wanted, at: string): FactSources {
  const changed = fieldsOf(wanted).filter((field) => wanted.profile[field] !== (stored?.[field] ?? unsaid(field)));
  return { ...stored?.sources, ...Object.fromEntries(changed.map((field) => [field, { source: wanted.by, at }])) };
}

const unsaid = (field: Field) => (field === 'do_not_contact' ? false : null);

/** Who gives each from now on: who gave it first, or who made it the first one. */
export function giversAfter(stored: StoredCustomer | undefined, kind: Kind, { by, ...wanted }: Wanted) {
  const values = kind === 'phone' ? wanted.phones : wanted.emails;
  const before = stored ? given(stored, kind) : [];
  const [first] = values.filter((value) => before.includes(value));
  const [former] = before.filter((value) => values.includes(value));
  return values.map((value) => {
    const giver = giverOf(stored, kind, value);
    const isPreferred = by === 'staff' && value === first && first !== former;
    return { value, given_by: giver === undefined || isPreferred ? by : giver };
  });
}
