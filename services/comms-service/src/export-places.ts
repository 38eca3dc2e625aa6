import { importKinds, importsUntold } from '@ops/imports/import-kinds';
import type { ExportedKind } from '@ops/service-kit/exporting';
import { IDS } from '@ops/service-kit/sought';
import { ATTACHMENTS } from './records/record-columns.ts';

const ofCustomer = `t.customer_id = ANY (${IDS})`;
const ofRecords = `t.communication_id IN (SELECT c.id FROM communications c WHERE c.customer_id = ANY (${IDS}))`;

/** Those with content are files of the archive; an address of theirs has no time. */
export const commsKinds: readonly ExportedKind[] = [
  {
    kind: 'customer',
    title: 'Who they are',
    table: 'customers',
    theirs: `t.id = ANY (${IDS})`,
    at: 't.created_at',
    key: 't.id',
    row: `to_jsonb(t) - ARRAY['name_folded', 'sort_key']`,
  },
  {
    kind: 'identifiers',
    title: 'Numbers, addresses and ids by which they are known',
    table: 'identifiers',
    theirs: ofCustomer,
    at: 'NULL',
    key: `concat_ws(' ', t.kind, t.position, t.value, t.source, t.customer_id)`,
  },
  {
    kind: 'merges',
    title: 'Other ids they were entered under',
    table: 'customer_aliases',
    theirs: `${ofCustomer} OR t.merged_into = ANY (${IDS})`,
    at: 't.merged_at',
    key: 't.customer_id',
  },
  {
    kind: 'communications',
    title: 'What was said: messages, internal notes and calls',
    table: 'communications',
    theirs: ofCustomer,
    at: 't.occurred_at',
    key: 't.id',
    row: `(SELECT to_jsonb(told) FROM (
      SELECT c.*, c.direction = 'INTERNAL' AS internal, ${ATTACHMENTS} FROM communications c WHERE c.id = t.id) told)`,
  },
  {
    kind: 'files',
    title: 'Files',
    table: 'attachments',
    theirs: `${ofCustomer} OR ${ofRecords}`,
    at: 't.created_at',
    key: 't.id',
    row: `jsonb_build_object('id', t.id, 'communication_id', t.communication_id, 'role', t.role, 'name', t.name,
      'media_type', t.media_type, 'size', t.size, 'content_id', t.content_id, 'source', t.source, 'provider', t.provider,
      'state', t.state, 'failure', t.failure, 'created_by', t.created_by, 'created_at', t.created_at)`,
  },
  {
    kind: 'edits-and-reactions',
    title: 'Edits, withdrawals and reactions',
    table: 'message_changes',
    theirs: ofRecords,
    at: 't.at',
    key: 't.id',
  },
  {
    kind: 'what-became-of-messages',
    title: 'What was done with messages, and what became of them',
    table: 'communication_history',
    theirs: ofRecords,
    at: 't.at',
    key: 't.id',
  },
  {
    kind: 'senders',
    title: 'Messages whose sender nobody knew at first',
    table: 'inbound_messages',
    theirs: ofRecords,
    at: 't.occurred_at',
    key: 't.communication_id',
    row: `to_jsonb(t) - ARRAY['name_folded', 'keys']`,
  },
  {
    kind: 'opt-outs',
    title: 'What was decided about automated messages',
    table: 'opt_outs',
    theirs: `${ofCustomer} OR t.address = ANY (ARRAY(
      SELECT i.kind || ':' || i.value FROM identifiers i WHERE i.customer_id = ANY (${IDS})))`,
    at: 't.decided_at',
    key: `t.id || ' ' || t.address`,
  },
  {
    kind: 'attention',
    title: 'Since when they wait for an answer, and who put them off',
    table: 'attention',
    theirs: ofCustomer,
    at: 't.waiting_since',
    key: 't.customer_id',
    row: `to_jsonb(t) - 'looked_in'`,
  },
  {
    kind: 'timeline',
    title: 'What happened, a line an event',
    table: 'timeline',
    theirs: ofCustomer,
    at: 't.occurred_at',
    key: 't.event_id',
  },
  {
    kind: 'legal-holds',
    title: 'Legal hold',
    table: 'legal_holds',
    theirs: ofCustomer,
    at: 't.held_at',
    key: 't.customer_id',
  },
  {
    kind: 'proposals',
    title: 'What was proposed to be done with all of this',
    table: 'proposals',
    theirs: `t.subject_id = ANY (${IDS})`,
    at: 't.proposed_at',
    key: 't.id',
  },
  ...importKinds,
];

/** Tables of which nothing is told, and why. */
export const commsUntold: Readonly<Record<string, string>> = {
  ...importsUntold,
  agents: 'people of the firm',
  answers: 'which message answers which, as each message says',
  canned_replies: 'what people of the firm answer often',
  erasures: 'of whom nothing is left to be told',
  communication_words: 'the same words once more, to search by',
  retention_policy: 'a setting',
  retention_runs: 'counts',
  words_to_come: 'a place in the log',
};
