import type { Outbox } from '@ops/bus/outbox';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { Trx } from '@ops/service-kit/database';
import type { Overdue, RetentionPlace } from '@ops/service-kit/retention';
import { messageTimes, pastItsTime, workingRowsBefore } from '@ops/service-kit/retention-places';
import { type AnybodysRecord, communicationChanged } from '../records/communication-events.ts';
import { rememberChanges } from '../records/record-service.ts';
import { deleteChanges, deleteUploads, redactFiles, redactRecords } from './redaction-store.ts';

/** A record counts from when it was said, whichever way it went and whether or not anybody knows whose it is. */
function recordsPast(order: RetentionOrder): Overdue {
  const past = pastItsTime('c.type', 'c.occurred_at', messageTimes(order));
  return { ...past, sql: `FROM communications c WHERE c.redacted_at IS NULL AND ${past.sql}` };
}

/**
 * Where comms-service keeps what was said. Files and changes come before their records, so that each is counted in its
 * own place. The fact of the communication stays: who, when, by which channel, and what became of it.
 */
export const commsPlaces = ({ outbox, now }: { outbox: Outbox; now: () => Date }): RetentionPlace[] => [
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
      return { sql: `SELECT m.id::text AS id FROM message_changes m WHERE ${sql}`, bindings };
    },
    remove: deleteChanges,
  },
  {
    name: 'communications',
    overdue(order) {
      const { sql, bindings } = recordsPast(order);
      return { sql: `SELECT c.id::text AS id ${sql}`, bindings };
    },
    remove: async (trx, ids) => announceRedacted(outbox, trx, await redactRecords(trx, ids, now()), now()),
  },
];

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
