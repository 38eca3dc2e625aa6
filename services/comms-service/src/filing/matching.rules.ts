import { commonForm, everyForm, otherForms } from './phone-forms.rules.ts';

export interface SenderIdentifier {
  kind: 'phone' | 'email' | 'user_id';
  value: string;
}

/** Under which id somebody has an identifier. */
interface Holder {
  under: string;
  /** The customer whom that id leads to. */
  customer: string;
  /** By which alone it is known that it is theirs; null: by more than a link. */
  link: string | null;
}

/** By `kind:value` of each identifier, each id once. */
export type Holders = ReadonlyMap<string, readonly Holder[]>;

/** Whose message it is, under which id, and the link by which alone that is known; or why nobody can say. */
export type Placement =
  | { customer: string; under: string; reason: null; link: string | null }
  | { customer: null; reason: 'unknown' | 'ambiguous' | 'unverified'; link: null };

export interface Sender {
  /** The identifiers by which this message can be placed. */
  identifiers: SenderIdentifier[];
  /** The identifiers by which the sender can be known from now on. */
  becomes: SenderIdentifier[];
  /** Probably somebody else wrote in their name: nothing places the message, and nothing is learned of it. */
  isForged?: boolean;
}

export interface Learned extends SenderIdentifier {
  customer_id: string;
  /** The link that alone taught it: when that is taken back, it is forgotten. */
  link_id: string | null;
}

interface Names {
  phone: string | null;
  email: string | null;
  user_id: string | null;
}

/**
 * The identifiers a sender names, as they are compared. A provider's number is taken as it is: no plan knows every
 * number that answers.
 */
export function identifiersOf({ phone, email, user_id }: Names): SenderIdentifier[] {
  const all = {
    phone: phone !== null && /^\+\d+$/.test(phone) ? phone : '',
    email: email === null ? '' : email.normalize('NFC').trim().toLowerCase(),
    user_id: user_id ?? '',
  };
  return (Object.keys(all) as (keyof typeof all)[]).flatMap((kind) => (all[kind] ? [{ kind, value: all[kind] }] : []));
}

/** The same for all identifiers that may match each other: by it senders are locked, and their waiting messages found. */
export const keyOf = ({ kind, value }: SenderIdentifier): string =>
  `${kind}:${kind === 'phone' ? commonForm(value) : value}`;

/** In all the ways in which it may be written. */
export const writtenAs = ({ kind, value }: SenderIdentifier): SenderIdentifier[] =>
  (kind === 'phone' ? everyForm(value) : [value]).map((form) => ({ kind, value: form }));

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

/** An identifier with who has it. */
export interface Held extends Learned {
  /** Whom `customer_id` leads to. */
  home: string;
}

export function toHolders(rows: readonly Held[]): Map<string, Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const row of rows) add(holders, row);
  return holders;
}

function add(holders: Map<string, Holder[]>, { customer_id: under, home, link_id, ...identifier }: Held): void {
  const key = holdersKey(identifier);
  const others = (holders.get(key) ?? []).filter((one) => one.under !== under);
  holders.set(key, [...others, { under, customer: home, link: link_id }]);
}

export const holdersOf = (identifier: SenderIdentifier, holders: Holders): string[] => [
  ...new Set(entriesOf(identifier, holders).map(({ customer }) => customer)),
];

function entriesOf(identifier: SenderIdentifier, holders: Holders): Holder[] {
  const [same, likely] = formsOf(identifier);
  const of = (forms: SenderIdentifier[]) => forms.flatMap((form) => holders.get(holdersKey(form)) ?? []);
  const found = of(same);
  return found.length > 0 ? found : of(likely);
}

/** Everything known of the sender must lead to one customer; two customers are never weighed against each other. */
export function placeSender(identifiers: readonly SenderIdentifier[], holders: Holders): Placement {
  const found = identifiers.flatMap((one) => entriesOf(one, holders));
  const [customer, ...others] = new Set(found.map((holder) => holder.customer));
  if (customer === undefined) return { customer: null, reason: 'unknown', link: null };
  if (others.length > 0) return { customer: null, reason: 'ambiguous', link: null };
  const under = idOf(customer, found);
  const isByMore = found.some(({ link }) => link === null);
  return {
    customer,
    under,
    reason: null,
    link: isByMore ? null : (found.find((one) => one.under === under)?.link ?? null),
  };
}

/** What the customer has by themselves is theirs, whoever of their aliases has it as well. */
function idOf(customer: string, found: readonly Holder[]): string {
  const [first = customer] = found.map(({ under }) => under).sort();
  return found.some(({ under }) => under === customer) ? customer : first;
}

/** In order: what one message teaches about its sender places the next one. An identifier somebody has is not learned. */
export function placeAll(senders: readonly Sender[], known: Holders): { placements: Placement[]; learned: Learned[] } {
  const holders = new Map([...known].map(([key, found]) => [key, [...found]]));
  const learned: Learned[] = [];
  const placements = senders.map(({ identifiers, becomes, isForged }): Placement => {
    if (isForged) return { customer: null, reason: 'unverified', link: null };
    const placement = placeSender(identifiers, holders);
    if (placement.customer === null) return placement;
    for (const one of [...identifiers, ...becomes]) {
      if (holdersOf(one, holders).length > 0) continue;
      const taught = { ...one, customer_id: placement.under, link_id: placement.link };
      add(holders, { ...taught, home: placement.customer });
      learned.push(taught);
    }
    return placement;
  });
  return { placements, learned };
}

/** The same for whatever speaks of a message by the provider's name of it. */
export const messageKey = (type: string, externalId: string): string => `message:${type}:${externalId}`;
