import { followMerges as follow, type Merge } from '@ops/following/merge-service';
import type { Trx } from '@ops/service-kit/database';
import { moveFlags } from '../compliance/flag-service.ts';
import type { Deps } from '../deps.ts';
import { describedOf, noteDescribed, passOnAgents } from './customer-agent-store.ts';
import { holdCustomers, lockWrittenUnder, moveRenewals } from './merged-customer-store.ts';
import { announce } from './renewal-events.ts';
import { findRenewals } from './renewal-store.ts';

/** Keeps up with whose ids are: renewals and their flags are the customer's that the id they were made under leads to. */
export const followMerges = (deps: Deps, trx: Trx, merges: readonly Merge[]): Promise<void> =>
  follow(trx, merges, (_, ids) => takeAlong(deps, trx, ids));

/**
 * A refresh that is at one of them comes before, or reads it as it is then: what fired is the renewal's, whoever has it. Those
 * who look at it are told; it is no new version of the renewal.
 */
async function takeAlong(deps: Deps, trx: Trx, ids: readonly string[]): Promise<void> {
  const before = await lockWrittenUnder(trx, ids);
  if (before.length === 0) return;
  const moving = before.map(({ id }) => id);
  const customers = [...new Set(before.map(({ leads_to }) => leads_to))];
  await holdCustomers(trx, customers);
  await moveRenewals(trx, moving);
  await moveFlags(
    trx,
    moving,
    before.map(({ customer_id }) => customer_id),
  );
  await noteDescribed(trx, [...(await describedOf(trx, customers))], deps.today());
  await passOnAgents(trx, customers);
  const moved = await findRenewals(trx, moving);
  await announce(deps, trx, 'changed', moved, moved);
}
