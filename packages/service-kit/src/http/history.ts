import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import { historyOfThing } from '../auditing/audit-store.ts';
import type { AuditedThing } from '../auditing/auditing.ts';
import type { Db } from '../database/database.ts';
import { decodeCursor, toPage } from './pagination.ts';

export interface HistoryQuery {
  limit: number;
  cursor?: string | undefined;
}

/** Who changed what of one thing, newest first. */
export async function historyOf(db: Db, subject: AuditedThing, query: HistoryQuery): Promise<Page<AuditEntry>> {
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const before = position && { at: position[0], id: position[1] };
  return toPage(await historyOfThing(db, subject, before, query.limit + 1), query.limit, ({ at, id }) => [at, id]);
}
