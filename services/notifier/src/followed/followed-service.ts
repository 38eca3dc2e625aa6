import { newestOfEach } from '@ops/following/newest-of-each';
import type { Trx } from '@ops/service-kit/database';
import type { Followed } from './followed.rules.ts';
import * as store from './followed-store.ts';

export { moveWrittenUnder } from './followed-store.ts';

/**
 * Takes in what an event tells of renewals, unless something newer is known, and answers how they stand. Their rows are
 * locked from here on, known before or not, in the order of ids: whoever plans about a renewal and whoever closes it take
 * turns.
 */
export async function learn(
  trx: Trx,
  facts: readonly Followed[],
  wins: { overTheSameVersion: boolean },
): Promise<Map<string, Followed>> {
  const newest = newestOfEach(facts, ({ renewal_id }) => renewal_id);
  await store.keepNewer(trx, newest, wins);
  return byId(
    await store.findRenewals(
      trx,
      newest.map(({ renewal_id }) => renewal_id),
    ),
  );
}

/** As they were last told of; nobody plans or closes about them meanwhile. */
export const lockRenewals = async (trx: Trx, ids: readonly string[]): Promise<Map<string, Followed>> =>
  byId(await store.lockRenewals(trx, ids));

const byId = (renewals: readonly Followed[]) => new Map(renewals.map((one) => [one.renewal_id, one]));
