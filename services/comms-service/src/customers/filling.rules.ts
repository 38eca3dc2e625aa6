import type { Profile, StoredCustomer } from './customer.rules.ts';

/** What a customer takes of one who turned out to be the same person, where nothing was said of it; the name is always said. */
const fillable = ['locale', 'time_zone', 'assigned_agent', 'preferred_channel', 'do_not_contact'] as const;
export type Filled = Partial<Pick<Profile, (typeof fillable)[number]>>;

type Facts = Pick<StoredCustomer, keyof Profile | 'sources'>;

const unsaid = (field: keyof Filled) => (field === 'do_not_contact' ? false : null);

/** Who asked not to be contacted is not, under either id. */
export function fillFrom(alias: Facts, survivor: Facts, fields: readonly string[] = fillable): Filled {
  const lacking = fillable.filter(
    (field) => fields.includes(field) && survivor[field] === unsaid(field) && alias[field] !== unsaid(field),
  );
  return Object.fromEntries(lacking.map((field) => [field, alias[field]]));
}

/** What is said anew of a customer stays theirs, whatever came from others before. */
export const saidAnew = (stored: Facts, wanted: Filled): string[] =>
  fillable.filter((field) => stored[field] !== wanted[field]);

/** What still is as it was filled is again as nobody had said it. */
export function withoutFilled<S extends Facts>(survivor: S, filled: Filled): S {
  const still = fillable.filter((field) => field in filled && survivor[field] === filled[field]);
  const sources = Object.fromEntries(
    Object.entries(survivor.sources).filter(([field]) => !(still as string[]).includes(field)),
  );
  return { ...survivor, ...Object.fromEntries(still.map((field) => [field, unsaid(field)])), sources };
}

/** Said by whoever said it of the other one. */
export function withFilled<S extends Facts>(survivor: S, filled: Filled, { sources: said }: Facts): S {
  const sources = Object.fromEntries(Object.entries(said).filter(([field]) => field in filled));
  return { ...survivor, ...filled, sources: { ...survivor.sources, ...sources } };
}
