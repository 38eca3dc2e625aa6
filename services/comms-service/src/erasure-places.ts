import { importErasure, importsHoldNobody } from '@ops/imports/import-erasure';
import type { ErasurePlace } from '@ops/service-kit/erasure';
import { ADDRESSES, IDS, KEYS, RECORDS } from '@ops/service-kit/sought';

/** Those that are in the log, or nobody had linked yet, are found before: each table is then asked by its index. */
const OF_RECORDS = `t.communication_id = ANY (${RECORDS})`;

/** What is theirs of their messages comes before these, and they themselves last. */
export const commsErasure: readonly ErasurePlace[] = [
  ...['answers', 'communication_history', 'communication_words', 'inbound_messages'].map((table) => ({
    name: table,
    table,
    theirs: OF_RECORDS,
  })),
  {
    name: 'message_changes',
    table: 'message_changes',
    theirs: `${OF_RECORDS} OR (t.communication_id IS NULL
      AND (t.sender = ANY (${ADDRESSES}) OR '+' || t.sender = ANY (${ADDRESSES})))`,
  },
  // Who was not to be written to is nobody any more: no address is left to write to.
  {
    name: 'opt_outs',
    table: 'opt_outs',
    theirs: `t.customer_id = ANY (${IDS}) OR (t.address <> '' AND t.address = ANY (${KEYS})) OR ${OF_RECORDS}`,
  },
  {
    name: 'attachments',
    table: 'attachments',
    theirs: `(t.communication_id IS NULL AND t.customer_id = ANY (${IDS})) OR ${OF_RECORDS}`,
  },
  { name: 'communications', table: 'communications', theirs: `t.id = ANY (${RECORDS})` },
  { name: 'legal_holds', table: 'legal_holds', theirs: `t.customer_id = ANY (${IDS})` },
  { name: 'timeline', table: 'timeline', theirs: `t.customer_id = ANY (${IDS})` },
  { name: 'attention', table: 'attention', theirs: `t.customer_id = ANY (${IDS})` },
  {
    name: 'identifiers',
    table: 'identifiers',
    theirs: `t.customer_id = ANY (${IDS}) OR t.brought_by = ANY (${IDS})`,
  },
  {
    name: 'customer_aliases',
    table: 'customer_aliases',
    theirs: `t.customer_id = ANY (${IDS}) OR t.merged_into = ANY (${IDS})`,
    blanks: { filled: `CAST('{}' AS jsonb)` },
  },
  // The id stays, so that nobody is ever given it again.
  {
    name: 'customers',
    table: 'customers',
    theirs: `t.id = ANY (${IDS})`,
    blanks: {
      name: `''`,
      name_folded: `''`,
      locale: 'NULL',
      assigned_agent: 'NULL',
      time_zone: 'NULL',
      preferred_channel: 'NULL',
      sources: `CAST('{}' AS jsonb)`,
    },
  },
  ...importErasure,
];

const people = 'people of the firm';
const ids = 'ids of ours';

/** Columns of text that hold nothing of a customer, and what they do hold; of a table that is not named in the list above, each. */
export const holdsNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...importsHoldNobody,
  agents: { id: people, name: people, deputy: people },
  canned_replies: {
    owner: people,
    replies: 'what people of the firm answer often',
    updated_by: people,
    signature: people,
  },
  customer_aliases: { customer_id: ids, merged_into: ids },
  customers: {
    id: 'stays, as the tombstone',
    sort_key: 'made of the name',
    leads_to: ids,
  },
  erasures: {
    customer_id: ids,
    aliases: ids,
    sought: 'nothing, once all is erased',
    places: 'counts',
    digest: 'a digest',
  },
  proposals: {
    kind: 'a word of ours',
    subject_id: ids,
    status: 'a word of ours',
    keep_days: 'days',
    proposed_by: people,
    confirmed_by: people,
    ended_by: people,
    reason: 'a sentence of ours',
    aliases: ids,
  },
  retention_policy: { keep_days: 'days', updated_by: people },
  retention_runs: { started_by: people, status: 'a word of ours', places: 'counts', failure: 'a sentence of ours' },
};
