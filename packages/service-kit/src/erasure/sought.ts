import type { ErasureOrder } from '@ops/contracts/internal-routes';

/** What is known of whoever is to be erased, for statements to ask by. */
export type Sought = Readonly<Record<string, string | string[]>>;

/** `order` in the words below. */
export const soughtBy = (order: ErasureOrder): Sought => ({
  ids: order.customer_ids,
  addresses: order.addresses.map(({ value }) => value),
  keys: order.addresses.map(({ kind, value }) => `${kind}:${value}`),
  records: order.records,
  externals: order.externals,
  tokens: [...order.customer_ids, ...order.addresses.map(({ value }) => value), ...order.records, ...order.externals],
  erased_at: order.erased_at,
});

/** The ids of the customer, and of all who lead to them. */
export const IDS = 'CAST(:ids AS text[])';
/** Numbers, addresses and names at the messaging app that nobody else has. */
export const ADDRESSES = 'CAST(:addresses AS text[])';
/** The same with their kind before each, as in `phone:+41446681800`. */
export const KEYS = 'CAST(:keys AS text[])';
/** Their messages. */
export const RECORDS = 'CAST(:records AS uuid[])';
/** What providers call these. */
export const EXTERNALS = 'CAST(:externals AS text[])';
/** What is of a later time was said since, by whomever. */
export const ERASED_AT = 'CAST(:erased_at AS timestamptz)';
/** All of these together. */
const TOKENS = 'CAST(:tokens AS text[])';

/** One of the strings of this JSON is one of those. Read as text, so that what Postgres' JSON refuses can be looked through. */
export const says = (json: string, those = TOKENS): string =>
  `EXISTS (SELECT FROM unnest(string_to_array(${json}, '"')) AS said (word) WHERE said.word = ANY (${those}))`;
