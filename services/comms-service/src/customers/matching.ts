import { commonForm, otherForms } from './phone-forms.ts';

export interface SenderIdentifier {
  kind: 'phone' | 'email' | 'user_id';
  value: string;
}

/** Customers by `kind:value` of each identifier they have. */
export type Holders = ReadonlyMap<string, ReadonlySet<string>>;

/** Whose message it is, or why nobody can say. */
export type Placement = { customer: string; reason: null } | { customer: null; reason: 'unknown' | 'ambiguous' };

export interface Sender {
  /** By which this message can be placed. */
  identifiers: SenderIdentifier[];
  /** By which the sender can be known from now on. */
  becomes: SenderIdentifier[];
}

export interface Learned extends SenderIdentifier {
  customer_id: string;
}

interface Names {
  phone: string | null;
  email: string | null;
  user_id: string | null;
}

/** As they are compared. A provider's number is taken as it is: no plan knows every number that answers. */
export function identifiersOf({ phone, email, user_id }: Names): SenderIdentifier[] {
  const all = {
    phone: phone !== null && /^\+\d+$/.test(phone) ? phone : '',
    email: email === null ? '' : email.normalize('NFC').trim().toLowerCase(),
    user_id: user_id ?? '',
  };
  return (Object.keys(all) as (keyof typeof all)[]).flatMap((kind) => (all[kind] ? [{ kind, value: all[kind] }] : []));
}

/** The same for all identifiers that may match each other: what is locked, and what waits is found by. */
export const keyOf = ({ kind, value }: SenderIdentifier): string =>
  `${kind}:${kind === 'phone' ? commonForm(value) : value}`;

/** All a store has to look up to place this sender. */
export const lookedUp = ({ identifiers, becomes }: Sender): SenderIdentifier[] =>
  [...identifiers, ...becomes].flatMap((one) => formsOf(one).flat());

const holdersKey = ({ kind, value }: SenderIdentifier) => `${kind}:${value}`;

/** What is surely the same, then what is likely the same. */
function formsOf(one: SenderIdentifier): [SenderIdentifier[], SenderIdentifier[]] {
  if (one.kind !== 'phone') return [[one], []];
  const { same, likely } = otherForms(one.value);
  const phones = (values: string[]) => values.map((value) => ({ kind: 'phone' as const, value }));
  return [[one, ...phones(same)], phones(likely)];
}

export function toHolders(rows: readonly Learned[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const row of rows) add(holders, row, row.customer_id);
  return holders;
}

function add(holders: Map<string, Set<string>>, identifier: SenderIdentifier, customer: string): void {
  const key = holdersKey(identifier);
  holders.set(key, new Set(holders.get(key)).add(customer));
}

export function holdersOf(identifier: SenderIdentifier, holders: Holders): string[] {
  const [same, likely] = formsOf(identifier);
  const of = (forms: SenderIdentifier[]) => [
    ...new Set(forms.flatMap((form) => [...(holders.get(holdersKey(form)) ?? [])])),
  ];
  const found = of(same);
  return found.length > 0 ? found : of(likely);
}

/** Everything known of the sender must lead to one customer; two customers are never weighed against each other. */
export function placeSender(identifiers: readonly SenderIdentifier[], holders: Holders): Placement {
  const [customer, ...others] = new Set(identifiers.flatMap((one) => holdersOf(one, holders)));
  if (customer === undefined) return { customer: null, reason: 'unknown' };
  return others.length === 0 ? { customer, reason: null } : { customer: null, reason: 'ambiguous' };
}

/** In order: what one message teaches about its sender places the next one. An identifier somebody has is not learned. */
export function placeAll(senders: readonly Sender[], known: Holders): { placements: Placement[]; learned: Learned[] } {
  const holders = new Map([...known].map(([key, customers]) => [key, new Set(customers)]));
  const learned: Learned[] = [];
  const placements = senders.map(({ identifiers, becomes }) => {
    const placement = placeSender(identifiers, holders);
    if (placement.customer === null) return placement;
    for (const one of [...identifiers, ...becomes]) {
      if (holdersOf(one, holders).length > 0) continue;
      add(holders, one, placement.customer);
      learned.push({ ...one, customer_id: placement.customer });
    }
    return placement;
  });
  return { placements, learned };
}
