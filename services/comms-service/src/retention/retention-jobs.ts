import { type Db, inTransaction } from '@ops/service-kit/database';
import type { Job } from '@ops/service-kit/every';
import { runOnSchedule } from '@ops/service-kit/scheduler';
import { type RetentionDeps, runNightly } from './retention-service.ts';

export interface NightlySettings {
  /** None: somebody else calls for the runs. */
  RETENTION_CRON: string | undefined;
  OPS_TIME_ZONE: string;
}

export function scheduleRetention(db: Db, deps: RetentionDeps, settings: NightlySettings): Job[] {
  const { RETENTION_CRON: cron, OPS_TIME_ZONE: timeZone } = settings;
  if (cron === undefined) return [];
  const turn = (slot: Date) => inTransaction(db, (trx) => runNightly(deps, trx, slot));
  return [runOnSchedule({ name: 'retention', cron, timeZone, logger: deps.logger }, turn)];
}
