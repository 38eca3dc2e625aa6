import { messageTimes } from '@ops/contracts/resources/retention';
import type { RetentionPlace } from '@ops/service-kit/retention';
import { notHeld, pastItsTime } from '@ops/service-kit/retention-places';

/**
 * The words of a message go as soon as it was sent; what became of it is in its record's history for good. So what is
 * left here, tries and receipts with it, goes altogether. What is under way is left to its end.
 */
const sends: RetentionPlace = {
  name: 'sends',
  overdue(order) {
    const past = pastItsTime('s.type', 's.created_at', messageTimes(order));
    const free = notHeld('s.customer_id', order);
    const ended = `SELECT s.id::text AS id FROM sends s WHERE s.status <> 'QUEUED' AND s.on_wire_at IS NULL`;
    return { sql: `${ended} AND ${past.sql} AND ${free.sql}`, bindings: { ...past.bindings, ...free.bindings } };
  },
  remove: async (trx, ids) => void (await trx('sends').whereIn('id', ids).delete()),
};

/** Receipts of messages that nobody here knows. */
const parkedReceipts: RetentionPlace = {
  name: 'parked_receipts',
  overdue: ({ before }) => ({
    sql: `SELECT r.item_id::text AS id FROM send_receipts r
          WHERE r.send_id IS NULL AND r.received_at < CAST(:before AS timestamptz)`,
    bindings: { before: before.SERVICE_ROW },
  }),
  remove: async (trx, ids) => void (await trx('send_receipts').whereIn('item_id', ids).delete()),
};

export const notifierPlaces: readonly RetentionPlace[] = [sends, parkedReceipts];
