import type { ErasurePlace } from '@ops/service-kit/erasure';
import { ADDRESSES, ERASED_AT, EXTERNALS, RECORDS } from '@ops/service-kit/sought';

const THEIR_ITEM = (item: string) => `(${item}.id = ANY (${RECORDS}) OR ${item}.external_id = ANY (${EXTERNALS}))`;

/** As JSON, forms and mails have an address: as it is, with its sign encoded, or a number without its plus. Shorter ones are everywhere. */
const NAMED_IN_BODY = `EXISTS (
  SELECT FROM unnest(${ADDRESSES}) AS one (address),
    unnest(ARRAY[one.address, replace(replace(one.address, '+', '%2B'), '@', '%40'), ltrim(one.address, '+')]) AS form (written)
  WHERE length(form.written) >= 6 AND strpos(lower(encode(t.body, 'escape')), lower(form.written)) > 0)`;

/** A delivery that is of them in any part loses its whole body. */
export const ingestErasure: readonly ErasurePlace[] = [
  {
    name: 'deliveries',
    table: 'deliveries',
    theirs: `t.body IS NOT NULL AND t.received_at <= ${ERASED_AT}
      AND (EXISTS (SELECT FROM items i WHERE i.delivery_id = t.id AND ${THEIR_ITEM('i')}) OR ${NAMED_IN_BODY})`,
    through: { key: 'id', type: 'uuid' },
    blanks: { body: 'NULL', redacted_at: `coalesce(t.redacted_at, ${ERASED_AT})`, reason: 'NULL' },
  },
  // Providers make the names of messages of numbers. The same bytes again are known by their fingerprint all the same.
  {
    name: 'items',
    table: 'items',
    theirs: `${THEIR_ITEM('t')} AND t.external_id NOT LIKE 'erased:%'`,
    blanks: { external_id: `'erased:' || t.id`, reason: 'NULL' },
  },
  {
    name: 'parts',
    table: 'parts',
    theirs: 'EXISTS (SELECT FROM deliveries d WHERE d.id = t.delivery_id AND d.body IS NULL)',
  },
];

const ours = 'a word of ours';

/** Columns of text that hold nothing of a customer, and what they do hold. */
export const holdsNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deliveries: {
    provider: ours,
    fingerprint: 'a digest of the whole body',
    replay_key: 'a number of the provider',
    path: 'where providers post to',
    content_type: 'how it was written',
    outcome: ours,
  },
  items: { provider: ours, account: 'a number or mailbox of ours', kind: ours, status: ours, outcome: ours },
};
