import type { EventOf } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { Db, Trx } from '@ops/service-kit/database';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { ofNobodyErased, readHome } from '../aliases/alias-service.ts';
import { lineOf } from './timeline.rules.ts';
import * as store from './timeline-store.ts';

export { moveLines, tellRenewals } from './timeline-store.ts';

export async function writeTimeline(trx: Trx, events: readonly EventOf<TimelineEvent['type']>[]): Promise<void> {
  await store.insertLines(trx, events.map(lineOf));
}

/** What becomes of renewals; of whoever was erased nobody looks. */
export const hearOfRenewals: typeof writeTimeline = async (trx, events) =>
  writeTimeline(trx, await ofNobodyErased(trx, events));

export async function listTimeline(
  db: Db,
  customerId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<TimelineEvent>> {
  const position = decodeCursor(query.cursor, ['instant', 'string']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const rows = await readHome(db, customerId, (home) => store.listLines(db, home, after, query.limit + 1));
  return toPage(rows, query.limit, (row) => [row.occurred_at, row.id]);
}
