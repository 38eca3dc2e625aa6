import { type Db, execute, oneRow, type Trx } from '@ops/service-kit/database';
import type { OutreachPlan } from '../renewals/sequence.rules.ts';

/** What follows the alerts of each rung, as notifier last told of it. */
export interface FollowedPlan {
  outreach: OutreachPlan;
  /** 0: as it is installed; it was not heard of yet. */
  version: number;
}

export const readPlan = (db: Db | Trx): Promise<FollowedPlan> =>
  oneRow<FollowedPlan>(db, 'SELECT outreach, version FROM followed_alert_plan');

export async function keepNewer(db: Db | Trx, { outreach, version }: FollowedPlan): Promise<void> {
  await execute(
    db,
    'UPDATE followed_alert_plan SET outreach = CAST(:outreach AS jsonb), version = :version WHERE version < :version',
    { outreach: JSON.stringify(outreach), version },
  );
}
