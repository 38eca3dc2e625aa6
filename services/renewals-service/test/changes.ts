import { addDays } from '@ops/contracts/dates';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { uuidv7 } from '@ops/test-kit/builders';
import type { Random } from '@ops/test-kit/random';
import { takeMessages } from '../src/alert-outcomes/alert-service.ts';
import { completeRenewal, reopenRenewal } from '../src/renewals/completion-service.ts';
import { acknowledgeRenewal, releaseRenewal } from '../src/renewals/hold-service.ts';
import { cancelRenewal, patchRenewal, startRenewal } from '../src/renewals/renewal-service.ts';
import { watchExpiry } from '../src/renewals/watch-service.ts';
import { changed } from './statements-told.ts';
import type { World } from './world.ts';

export interface Office {
  world: World;
  random: Random;
  customers: number;
  /** Of all renewals, in the order they were made. */
  ids: string[];
}

/** Drawn already, so that it is the same whenever it is made. */
export type Change = (db: Db) => Promise<void>;

export function drawCreation(office: Office, many: number): Change {
  const { world, random, customers, ids } = office;
  const wanted = Array.from({ length: many }, () => ({
    customer_id: `C-${random.below(customers)}`,
    service_type: random.pick(['RESIDENCE_PERMIT', 'INSURANCE_POLICY', 'OTHER']),
    due_date: someDate(office),
    silent_through: random.pick([null, '30', 'OVERDUE'] as const),
    policy_id: null,
    notes: null,
    assigned_agent: null,
  }));
  return async (db) => {
    const made = await inTransaction(db, (trx) => watchExpiry(world.deps, trx, wanted));
    ids.push(...made.map(({ id }) => id));
  };
}

/** What staff might do, allowed or not. */
export function drawChange(office: Office): Change {
  const { deps } = office.world;
  const what = office.random.below(15);
  if (what < 3) return drawCreation(office, 1);
  const id = office.random.pick(office.ids);
  const due_date = someDate(office);
  const until = addDays(deps.today(), 1 + office.random.below(62));
  return (db) =>
    ifAllowed(db, async (trx) => {
      if (what < 5) await patchRenewal(deps, trx, id, { due_date }, undefined);
      else if (what < 6) await startRenewal(deps, trx, id, undefined);
      else if (what < 8) await completeOne(office, trx, id);
      else if (what < 9) await cancelRenewal(deps, trx, id, {}, undefined);
      else if (what < 10) await reopenRenewal(deps, trx, id, undefined);
      else if (what < 12)
        await acknowledgeRenewal(deps, trx, { id, input: { until }, by: 'staff', ifMatch: undefined });
      else if (what < 13) await releaseRenewal(deps, trx, id, undefined);
      else await takeAnswer(office, trx, id);
    });
}

const someDate = ({ world, random }: Office) => addDays(world.deps.today(), random.below(500) - 40);

async function ifAllowed(db: Db, work: (trx: Trx) => Promise<void>): Promise<void> {
  await inTransaction(db, work).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
  });
}

async function completeOne({ world, ids }: Office, trx: Trx, id: string): Promise<void> {
  const { next_renewal } = await completeRenewal(world.deps, trx, id, {}, undefined);
  if (next_renewal && !ids.includes(next_renewal.id)) ids.push(next_renewal.id);
}

/** The customer writes about it. */
async function takeAnswer({ world: { deps } }: Office, trx: Trx, renewal_id: string): Promise<void> {
  const at = deps.now().toISOString();
  const said = { communication_id: uuidv7(), renewal_id, direction: 'INBOUND', status: 'RECEIVED' } as const;
  await takeMessages(deps, trx, [changed({ ...said, written_at: at }, at)]);
}
