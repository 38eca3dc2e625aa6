import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { RenewalDetail } from '@ops/contracts/resources/renewal';
import type { Db, Trx } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { toRenewal } from '../renewals/renewal.ts';
import { findRenewal } from '../renewals/renewal-store.ts';
import { listAlerts, listMessages } from './detail-store.ts';
import { saveMessages } from './message-store.ts';
import { messageWord } from './message-words.ts';
import { saveOutcomes } from './outcome-store.ts';

/** What alerts led to. */
export async function takeOutcomes(trx: Trx, planned: readonly Envelope[]): Promise<void> {
  const words = planned.map(({ id, data }) => ({ ...events['alert.planned'].data.parse(data), told_id: id }));
  await saveOutcomes(trx, words);
}

/** Messages that are about a renewal, or no longer. */
export async function takeMessages(trx: Trx, changed: readonly Envelope[]): Promise<void> {
  const words = changed.flatMap((event) => messageWord(event) ?? []);
  await saveMessages(trx, words);
}

export async function showRenewal(db: Db, id: string): Promise<RenewalDetail> {
  const stored = await findRenewal(db, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  return { ...toRenewal(stored), alerts: await listAlerts(db, id), messages: await listMessages(db, id) };
}
