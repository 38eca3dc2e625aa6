import type { HistoryEntry } from '@ops/contracts/resources/communication';
import { audit } from '@ops/service-kit/auditing';
import { type Db, rows, type Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';

/** What was done with a record, or became of it. `actor` is null when it happened by itself. */
export interface NewHistoryEntry extends Omit<HistoryEntry, 'id' | 'at'> {
  communication_id: string;
  at: Date | string;
}

/** What somebody did stands in the audit as well, with whom the message is of by then. */
export async function rememberChanges(trx: Trx, entries: readonly NewHistoryEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await trx('communication_history').insert(entries.map((entry) => ({ id: uuidv7(), ...entry })));
  const done = entries.filter(({ actor }) => actor !== null);
  if (done.length === 0) return;
  const customers = await customersOf(
    trx,
    done.map(({ communication_id }) => communication_id),
  );
  await audit(
    trx,
    ...done.map(({ communication_id: id, change, details }) => ({
      subject: { kind: 'communication' as const, id, ...customers.get(id) },
      before: {},
      after: { [change]: true, ...details },
    })),
  );
}

async function customersOf(trx: Trx, ids: readonly string[]): Promise<Map<string, { customer_id: string }>> {
  const found = await rows<{ id: string; customer_id: string }>(
    trx,
    `SELECT id, customer_id FROM communications WHERE id = ANY (CAST(:ids AS uuid[])) AND customer_id IS NOT NULL`,
    { ids },
  );
  return new Map(found.map(({ id, customer_id }) => [id, { customer_id }]));
}

interface HistoryPosition {
  at: string;
  id: string;
}

export async function listHistory(
  db: Db | Trx,
  communicationId: string,
  after: HistoryPosition | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  return rows<HistoryEntry>(
    db,
    `SELECT h.id, h.change, h.actor, utc_text(h.at) AS at, h.details
     FROM communication_history h
     WHERE h.communication_id = :communication_id ${
       after ? 'AND (h.at, h.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid))' : ''
     }
     ORDER BY h.at DESC, h.id DESC LIMIT :limit`,
    { communication_id: communicationId, limit, ...(after && { after_at: after.at, after_id: after.id }) },
  );
}
