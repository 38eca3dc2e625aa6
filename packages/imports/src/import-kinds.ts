import type { ExportedKind } from '@ops/service-kit/exporting';
import { IDS } from '@ops/service-kit/sought';

export const importKinds: readonly ExportedKind[] = [
  {
    kind: 'rows-of-files',
    title: 'What files that were taken in said',
    table: 'import_rows',
    // Whatever the file is about, its rows name the customer.
    theirs: `jsonb_exists_any(t.cells, ${IDS})`,
    at: '(SELECT i.created_at FROM imports i WHERE i.id = t.import_id)',
    key: `t.import_id || ' ' || lpad(CAST(t.line AS text), 10, '0')`,
    row: `to_jsonb(t) - 'bytes'`,
  },
];

/** Tables of which nothing is told, and why. */
export const importsUntold: Readonly<Record<string, string>> = {
  imports: 'told with each of its rows',
  import_chunks: 'the file itself, until it was looked through',
};
