import type { RetentionPlace } from '@ops/service-kit/retention';
import { deleteByPlace, workingRowsBefore } from '@ops/service-kit/retention-places';

/** Rows hold what the file said of customers; they go first, a portion at a time, since there may be a million. */
export const importPlaces: readonly RetentionPlace[] = [
  {
    name: 'import_rows',
    overdue: (order) => ({
      sql: `SELECT r.ctid::text AS id FROM imports i JOIN import_rows r ON r.import_id = i.id
            WHERE i.updated_at < CAST(:before AS timestamptz)`,
      bindings: { before: workingRowsBefore(order) },
    }),
    remove: deleteByPlace('import_rows'),
    portion: 5_000,
  },
  {
    name: 'imports',
    overdue: (order) => ({
      sql: `SELECT i.id::text AS id FROM imports i
            WHERE i.updated_at < CAST(:before AS timestamptz)`,
      bindings: { before: workingRowsBefore(order) },
    }),
    remove: async (trx, ids) => {
      await trx('imports').whereIn('id', ids).delete();
    },
  },
];
