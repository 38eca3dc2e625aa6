import { keepNewer, type Told } from '@ops/following/customer-service';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { lockRenewalsOf, noteDescribed, passOnAgents } from './customer-agent-store.ts';
import { followMerges } from './merged-customer-service.ts';
import { isClosed } from './renewal.rules.ts';
import { announce } from './renewal-events.ts';
import { findRenewals } from './renewal-store.ts';

/** Keeps up with who and whose customers are: renewals without an agent of their own are theirs. */
export async function followCustomers(deps: Deps, trx: Trx, { facts, merges }: Told): Promise<void> {
  await followMerges(deps, trx, merges);
  await lockRenewalsOf(trx, facts);
  await keepNewer(trx, facts);
  const ids = facts.map(({ customer_id }) => customer_id);
  await noteDescribed(trx, ids, deps.today());
  await tellOf(deps, trx, await passOnAgents(trx, ids));
}

/** What is somebody else's now is told of for those who look at it; it is no new version of the renewal. */
async function tellOf(deps: Deps, trx: Trx, ids: readonly string[]): Promise<void> {
  const renewals = ids.length === 0 ? [] : await findRenewals(trx, ids);
  const handedOn = renewals.filter(({ status, assigned_agent }) => !isClosed(status) && assigned_agent === null);
  await announce(deps, trx, 'changed', handedOn, handedOn);
}
