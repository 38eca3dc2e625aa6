import type { Outbox } from '@ops/bus/outbox';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import { messageTimes } from '@ops/contracts/resources/retention';
import type { Trx } from '@ops/service-kit/database';
import type { Overdue, RetentionPlace } from '@ops/service-kit/retention';
import { notHeld, pastItsTime, workingRowsBefore } from '@ops/service-kit/retention-places';
import { type AnybodysRecord, communicationChanged } from '../records/communication-events.ts';
import { rememberChanges } from '../records/record-service.ts';
import {
  deleteChanges,
  deleteUploads,
  forgetOptOuts,
  OVERRULED,
  redactFiles,
  redactRecords,
} from './redaction-store.ts';

const KEPT_FROM = 'greatest(c.occurred_at, c.received_at, c.created_at)';

/**
 * A record counts from the latest of its times, whichever way it went and whether or not anybody knows whose it is: a
 * sender's clock may be wrong. What nobody has read has a year more, and what is still to leave keeps its words. Nothing goes
 * of whoever is on legal hold.
 */
function recordsPast(order: RetentionOrder, which: 'all' | 'read' | 'unread' = 'all'): Overdue {
  const past = pastItsTime('c.type', KEPT_FROM, messageTimes(order));
  const free = notHeld('c.customer_id', order);
  const late = pastItsTime('c.type', `${KEPT_FROM} + interval '1 year'`, messageTimes(order));
  const ofThese = {
    all: `(NOT c.unread OR ${late.sql})`,
    read: 'NOT c.unread',
    // So written the index of all that is unread does not offer itself, which would be read from end to end.
    unread: `c.unread IS NOT FALSE AND ${late.sql}`,
  }[which];
  return {
    sql: `FROM communications c
          WHERE c.redacted_at IS NULL AND c.status IS DISTINCT FROM 'QUEUED' AND ${past.sql} AND ${ofThese} AND ${free.sql}`,
    bindings: { ...past.bindings, ...free.bindings },
  };
}

/** A decision about an address is nobody's, and theirs who have it. */
const HELD_ADDRESSES = `ARRAY(
  SELECT i.kind || ':' || i.value FROM identifiers i WHERE i.customer_id = ANY (CAST(:held AS text[])))`;

interface PlaceDeps {
  outbox: Outbox;
  now: () => Date;
}

/**
 * Where comms-service keeps what was said. Files and changes come before their records, so that each is counted in its
 * own place. The fact of the communication stays: who, when, by which channel, and what became of it.
 */
export const commsPlaces = (deps: PlaceDeps): RetentionPlace[] => [
  {
    name: 'attachments',
    overdue(order) {
      const { sql, bindings } = recordsPast(order);
      const files = `SELECT a.id::text AS id FROM attachments a WHERE a.state <> 'REDACTED'`;
      return { sql: `${files} AND a.communication_id IN (SELECT c.id ${sql})`, bindings };
    },
    remove: redactFiles,
  },
  {
    name: 'uploads',
    overdue: (order) => ({
      sql: `SELECT a.id::text AS id FROM attachments a
            WHERE a.communication_id IS NULL AND a.created_at < CAST(:before AS timestamptz)`,
      bindings: { before: workingRowsBefore(order) },
    }),
    remove: deleteUploads,
  },
  {
    name: 'message_changes',
    overdue(order) {
      const { sql, bindings } = pastItsTime('m.type', 'm.at', messageTimes(order));
      const held = `SELECT 1 FROM communications c WHERE c.id = m.communication_id AND c.customer_id = ANY (CAST(:held AS text[]))`;
      return {
        sql: `SELECT m.id::text AS id FROM message_changes m WHERE ${sql} AND NOT EXISTS (${held})`,
        bindings: { ...bindings, held: order.held },
      };
    },
    remove: deleteChanges,
  },
  {
    name: 'opt_outs',
    overdue(order) {
      const past = pastItsTime('o.channel', 'o.decided_at', messageTimes(order));
      const free = notHeld('o.customer_id', order);
      const over = `(o.reason IS NOT NULL OR ${OVERRULED})`;
      return {
        sql: `SELECT o.ctid::text AS id FROM opt_outs o
              WHERE ${past.sql} AND ${over} AND ${free.sql} AND o.address <> ALL (${HELD_ADDRESSES})`,
        bindings: { ...past.bindings, ...free.bindings },
      };
    },
    remove: forgetOptOuts,
  },
  records('communications', 'read', deps),
  // Told apart, so that whoever runs it sees that nobody read them.
  records('communications_unread', 'unread', deps),
];

const records = (name: string, which: 'read' | 'unread', { outbox, now }: PlaceDeps): RetentionPlace => ({
  name,
  overdue(order) {
    const { sql, bindings } = recordsPast(order, which);
    return { sql: `SELECT c.id::text AS id ${sql}`, bindings };
  },
  remove: async (trx, ids) => announceRedacted(outbox, trx, await redactRecords(trx, ids, now()), now()),
});

async function announceRedacted(outbox: Outbox, trx: Trx, records: readonly AnybodysRecord[], at: Date): Promise<void> {
  await rememberChanges(
    trx,
    records.map(({ id }) => ({ communication_id: id, change: 'redacted', actor: null, at, details: {} })),
  );
  const told = records.map((record) => communicationChanged(record, 'redacted', at.toISOString()));
  await outbox.addMany(
    trx,
    told.map((data) => ({ type: 'communication.changed', data })),
  );
}
