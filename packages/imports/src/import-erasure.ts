import type { ErasurePlace } from '@ops/service-kit/erasure';
import { IDS, says } from '@ops/service-kit/sought';

/**
 * A row that names them is not taken in any more, and says nothing. The file itself is there until it was looked through, which is
 * soon; its rows are then.
 */
export const importErasure: readonly ErasurePlace[] = [
  {
    name: 'import_chunks',
    table: 'import_chunks',
    theirs: `EXISTS (SELECT FROM unnest(${IDS}) AS one (id) WHERE position(convert_to(one.id, 'UTF8') IN t.content) > 0)`,
    waits: true,
  },
  {
    name: 'import_rows',
    table: 'import_rows',
    theirs: `t.record_id = ANY (${IDS}) OR t.key = ANY (${IDS}) OR ${says('CAST(t.cells AS text)')}`,
    blanks: {
      cells: `CAST('{}' AS jsonb)`,
      errors: `CAST('[]' AS jsonb)`,
      kept: `CAST('[]' AS jsonb)`,
      key: 'NULL',
      outcome: `CASE WHEN t.outcome IN ('create', 'change') THEN 'refused' ELSE t.outcome END`,
    },
  },
];

/** Columns of text that hold nothing of a customer. */
export const importsHoldNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  imports: {
    name: 'what somebody of the firm called the file',
    status: 'a word of ours',
    options: 'what was asked for besides the file',
    layout: 'the columns of the file',
    counts: 'counts',
    failure: 'a sentence of ours',
    created_by: 'people of the firm',
    read_to: 'a place in the file',
    forecast: 'counts',
    acting: 'people of the firm',
  },
  import_rows: { record_id: 'ids of ours' },
};
