import { type Db, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { RiskFacts } from './at-risk.rules.ts';
import { answeredAt, atRisk, lastRungAt, reachedAt } from './at-risk-columns.ts';

/** Beside what the renewal itself says. */
export interface LookedUp extends Pick<RiskFacts, 'last_rung_at' | 'reached_at' | 'answered_at'> {
  id: string;
  /** Whom its open tasks were given to themselves. */
  tasks: (string | null)[];
}

export async function lookUp(db: Db | Trx, renewalIds: readonly string[]): Promise<Map<string, LookedUp>> {
  const found = await rows<LookedUp>(
    db,
    `SELECT asked.id, ${lastRungAt('asked.id')} AS last_rung_at, ${reachedAt('asked.id')} AS reached_at,
       ${answeredAt('asked.id')} AS answered_at,
       ARRAY(SELECT t.assigned_agent FROM followed_tasks t WHERE t.renewal_id = asked.id AND t.is_open) AS tasks
     FROM unnest(CAST(:ids AS uuid[])) AS asked (id)`,
    { ids: renewalIds },
  );
  return new Map(found.map((one) => [one.id, one]));
}

interface Counted {
  today: string;
  now: Date;
  /** Without those that this run alerted. */
  besides: string;
}

export async function countAtRisk(db: Db | Trx, counted: Counted): Promise<number> {
  const { count } = await oneRow<{ count: number }>(
    db,
    `SELECT count(*)::int AS count FROM renewals r
     WHERE ${atRisk({ today: 'CAST(:today AS date)', now: 'CAST(:now AS timestamptz)' })}
       AND r.id NOT IN (SELECT a.renewal_id FROM alerts a WHERE a.run_id = CAST(:besides AS uuid) AND a.state = 'FIRED')`,
    { ...counted },
  );
  return count;
}
