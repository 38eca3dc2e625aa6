import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import { saveMessages } from './message-store.ts';
import { saveOutcomes } from './outcome-store.ts';
import { messageStatement } from './statement.rules.ts';

export { lastContacts, listAlerts, listMessages } from './detail-store.ts';

/** What alerts led to. */
export async function takeOutcomes(trx: Trx, planned: readonly Envelope[]): Promise<void> {
  const statements = planned.map(({ id, data }) => ({ ...events['alert.planned'].data.parse(data), told_id: id }));
  await saveOutcomes(trx, statements);
}

/** Messages that are about a renewal, or no longer. */
export async function takeMessages(trx: Trx, changed: readonly Envelope[]): Promise<void> {
  const statements = changed.flatMap((event) => messageStatement(event) ?? []);
  await saveMessages(trx, statements);
}
