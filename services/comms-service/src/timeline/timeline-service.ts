import type { EventOf } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { Db, Trx } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { lineOf } from './timeline.rules.ts';
import * as store from './timeline-store.ts';

export { moveLines, tellRenewals } from './timeline-store.ts';

export async function writeTimeline(trx: Trx, events: readonly EventOf<TimelineEvent['type']>[]): Promise<void> {
  await store.insertLines(trx, events.map(lineOf));
}

export async function listTimeline(
  db: Db,
  customerId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<TimelineEvent>> {
  const position = decodeCursor(query.cursor, ['instant', 'string']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const rows = await store.listLines(db, customerId, after, query.limit + 1);
  if (!rows) throw notFound(`There is no customer ${customerId}`);
  return toPage(rows, query.limit, (row) => [row.occurred_at, row.id]);
}
