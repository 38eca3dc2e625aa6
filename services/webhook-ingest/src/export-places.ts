import type { ExportedKind } from '@ops/service-kit/exporting';
import { EXTERNALS, RECORDS } from '@ops/service-kit/sought';

const theirItem = (item: string) => `(${item}.id = ANY (${RECORDS}) OR ${item}.external_id = ANY (${EXTERNALS}))`;

/** One POST may bring what several people wrote: the rest of it is none of theirs. */
const theirsAlone = `NOT EXISTS (SELECT FROM items i WHERE i.delivery_id = t.id AND NOT ${theirItem('i')})`;

export const ingestKinds: readonly ExportedKind[] = [
  {
    kind: 'webhook-deliveries',
    title: 'What providers posted with something of theirs',
    table: 'deliveries',
    theirs: `EXISTS (SELECT FROM items i WHERE i.delivery_id = t.id AND ${theirItem('i')})`,
    at: 't.received_at',
    key: 't.id',
    row: `jsonb_build_object('id', t.id, 'provider', t.provider, 'path', t.path, 'content_type', t.content_type, 'size', t.size,
      'outcome', t.outcome, 'reason', t.reason, 'items', t.items, 'repeats', t.repeats, 'received_at', t.received_at,
      'processed_at', t.processed_at, 'redacted_at', t.redacted_at,
      'body', CASE WHEN t.body IS NULL THEN 'gone' WHEN ${theirsAlone} THEN 'theirs' ELSE 'with what others wrote' END)`,
  },
  {
    kind: 'items',
    title: 'What was found in it',
    table: 'items',
    theirs: theirItem('t'),
    at: '(SELECT d.received_at FROM deliveries d WHERE d.id = t.delivery_id)',
    key: 't.id',
  },
];

/** Tables of which nothing is told, and why. */
export const ingestUntold: Readonly<Record<string, string>> = {
  parts: 'in the body they came with, and among the files of the message',
};
