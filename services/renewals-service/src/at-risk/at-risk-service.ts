import type { RiskReason } from '@ops/contracts/resources/renewal';
import type { Responsible } from '@ops/contracts/responsible';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { isClosed, ownerOf, type StoredRenewal } from '../renewals/renewal.rules.ts';
import { riskReasons } from './at-risk.rules.ts';
import * as store from './at-risk-store.ts';

/** Of each of these why it may be missed. */
export async function riskOf(
  deps: Pick<Deps, 'now' | 'today'>,
  db: Db | Trx,
  renewals: readonly StoredRenewal[],
  responsible: Responsible,
): Promise<Map<string, RiskReason[]>> {
  if (renewals.length === 0) return new Map();
  const known = await store.lookUp(
    db,
    renewals.map(({ id }) => id),
  );
  const moment = { now: deps.now(), today: deps.today(), responsible };
  return new Map(
    renewals.flatMap((renewal) => {
      const found = known.get(renewal.id);
      return found ? [[renewal.id, riskReasons(factsOf(renewal, found), moment)]] : [];
    }),
  );
}

function factsOf(renewal: StoredRenewal, { tasks, last_rung_at, reached_at, answered_at }: store.LookedUp) {
  const { status, due_date, started_at } = renewal;
  return {
    isActive: !isClosed(status),
    due_date,
    started_at: started_at === null ? null : new Date(started_at),
    task_owners: tasks.map((given) => given ?? ownerOf(renewal)),
    last_rung_at,
    reached_at,
    answered_at,
  };
}

/** How many there are besides those that this run has just alerted: what that leads to is on its way. */
export const countAtRisk = (deps: Pick<Deps, 'now' | 'today'>, db: Db | Trx, besides: string): Promise<number> =>
  store.countAtRisk(db, { today: deps.today(), now: deps.now(), besides });
