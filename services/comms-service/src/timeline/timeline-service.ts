import type { Envelope } from '@ops/contracts/envelope';
import type { Page } from '@ops/contracts/pagination';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { Db, Trx } from '@ops/service-kit/database';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { requireCustomer } from '../customers/customer-service.ts';
import { lineOf } from './timeline.ts';
import * as store from './timeline-store.ts';

export async function writeTimeline(trx: Trx, events: readonly Envelope[]): Promise<void> {
  await store.insertLines(trx, events.map(lineOf));
}

export async function listTimeline(
  db: Db,
  customerId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<TimelineEvent>> {
  const position = decodeCursor(query.cursor, ['instant', 'string']);
  await requireCustomer(db, customerId);
  const after = position && { occurredAt: position[0], id: position[1] };
  const rows = await store.listLines(db, customerId, after, query.limit + 1);
  return toPage(rows, query.limit, (row) => [row.occurred_at, row.id]);
}
