import type { HistoryEntry } from '@ops/contracts/resources/communication';
import { type Db, rows, type Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';

/** What was done with a record, or became of it. `actor` is null when it happened by itself. */
export interface NewHistoryEntry extends Omit<HistoryEntry, 'id' | 'at'> {
  communication_id: string;
  at: Date | string;
}

export async function rememberChanges(trx: Trx, entries: readonly NewHistoryEntry[]): Promise<void> {
  if (entries.length > 0)
    await trx('communication_history').insert(entries.map((entry) => ({ id: uuidv7(), ...entry })));
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
