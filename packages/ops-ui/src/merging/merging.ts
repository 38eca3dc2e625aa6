import type { Customer, CustomerDuplicates, CustomerIdentifier } from '../api/types.ts';

type Because = CustomerDuplicates['data'][number]['because'][number];

const sameWhat = {
  phone: (value) => `same number ${value}`,
  email: (value) => `same address ${value}`,
  user_id: () => 'same account at the messaging app',
  name: () => 'same name',
} satisfies Record<Because['kind'], (value: string) => string>;

/** What speaks for their being one. */
export const becauseInWords = (because: readonly Because[]): string =>
  because.map(({ kind, value }) => sameWhat[kind](value)).join(', ');

interface Pair {
  stays: string;
  goes: string;
}

/** Who stays where nobody said: who was entered first, since more of what the firm has written down names that id. */
export function usualPair(one: Pick<Customer, 'id' | 'created_at'>, other: Pick<Customer, 'id' | 'created_at'>): Pair {
  const isFirst = Date.parse(one.created_at) <= Date.parse(other.created_at);
  return isFirst ? { stays: one.id, goes: other.id } : { stays: other.id, goes: one.id };
}

const facts = ['name', 'assigned_agent', 'preferred_channel', 'locale', 'time_zone', 'do_not_contact'] as const;
export type Fact = (typeof facts)[number];
type Facts = Pick<Customer, Fact>;

/** Those that either of them has. */
export const factsOf = (one: Facts, other: Facts): Fact[] => facts.filter((fact) => one[fact] || other[fact]);

/** What becomes of a fact of both, said beside each; null: nothing has to be said. */
export function becomes(fact: Fact, stays: Facts, goes: Facts): [ofStays: string | null, ofGoes: string | null] {
  const [here, there] = [stays[fact], goes[fact]];
  if (here === there) return [null, null];
  if (fact === 'do_not_contact') return here ? ['counts for both', null] : [null, 'counts for both'];
  if (here === null) return ['is filled', 'fills the gap'];
  return ['stays', there === null ? null : 'gives way'];
}

type Address = Pick<CustomerIdentifier, 'kind' | 'value'>;

export const hasAddress = ({ identifiers }: { identifiers: readonly Address[] }, { kind, value }: Address): boolean =>
  identifiers.some((one) => one.kind === kind && one.value === value);

/** Of those who may have written a message, whom each may be the same person as: who is a candidate for the same reason. */
export function alikeBefore<T extends { because: string }>(candidates: readonly T[], one: T): T | undefined {
  if (one.because === 'reply') return undefined;
  const first = candidates.find(({ because }) => because === one.because);
  return first === one ? undefined : first;
}
