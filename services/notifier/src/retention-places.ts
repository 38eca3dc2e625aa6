import type { RetentionPlace } from '@ops/service-kit/retention';
import { messageTimes, pastItsTime } from '@ops/service-kit/retention-places';

/**
 * The words of a message go as soon as it was sent; what became of it is in its record's history for good. So what is
 * left here, tries and receipts with it, goes altogether. What is under way is left to its end.
 */
const deliveries: RetentionPlace = {
  name: 'deliveries',
  overdue(order) {
    const { sql, bindings } = pastItsTime('d.type', 'd.created_at', messageTimes(order));
    const ended = `SELECT d.id::text AS id FROM deliveries d WHERE d.status <> 'QUEUED' AND d.on_wire_at IS NULL`;
    return { sql: `${ended} AND ${sql}`, bindings };
  },
  remove: async (trx, ids) => void (await trx('deliveries').whereIn('id', ids).delete()),
};

/** Receipts of messages that nobody here knows. */
const parkedReceipts: RetentionPlace = {
  name: 'parked_receipts',
  overdue: ({ before }) => ({
    sql: `SELECT r.item_id::text AS id FROM receipts r
          WHERE r.delivery_id IS NULL AND r.received_at < CAST(:before AS timestamptz)`,
    bindings: { before: before.SERVICE_ROW },
  }),
  remove: async (trx, ids) => void (await trx('receipts').whereIn('item_id', ids).delete()),
};

export const notifierPlaces: readonly RetentionPlace[] = [deliveries, parkedReceipts];
