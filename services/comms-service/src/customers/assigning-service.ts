import type { AssignCustomers, CustomerAssignments } from '@ops/contracts/resources/customer';
import { type HandedOver, type HandOver, mostHandedOver } from '@ops/contracts/resources/hand-over';
import { refuseUnknown } from '@ops/following/agent-service';
import type { Trx } from '@ops/service-kit/database';
import { holdHomes } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { type StoredCustomer, toCustomer } from './customer.rules.ts';
import { announceCustomers } from './customer-news-service.ts';
import { auditCustomer } from './customer-service.ts';
import * as store from './customer-store.ts';
import { keepAgents } from './filling-service.ts';

type Outcome = CustomerAssignments['data'][number];

export async function assignCustomers(deps: Deps, trx: Trx, input: AssignCustomers): Promise<CustomerAssignments> {
  const { assigned_agent } = input;
  await refuseUnknown(deps, trx, assigned_agent, null);
  const ids = [...new Set(input.customer_ids)];
  const homes = await holdHomes(trx, ids);
  const locked = new Map((await store.lockCustomers(trx, [...homes.values()])).map((one) => [one.id, one]));
  const foundOf = (id: string) => locked.get(homes.get(id) ?? '');
  const data = ids.map((id): Outcome => ({ customer_id: id, outcome: assignment(foundOf(id), assigned_agent) }));
  const assigned = data.flatMap(({ customer_id, outcome }) =>
    outcome === 'assigned' ? (foundOf(customer_id) ?? []) : [],
  );
  await give(deps, trx, [...new Set(assigned)], assigned_agent);
  return { data };
}

function assignment(stored: StoredCustomer | undefined, agent: string | null): Outcome['outcome'] {
  if (!stored) return 'not_found';
  return stored.assigned_agent === agent ? 'unchanged' : 'assigned';
}

/** Their renewals and tasks go along where nobody else was given them: whoever keeps those follows. */
async function give(deps: Deps, trx: Trx, customers: readonly StoredCustomer[], agent: string | null): Promise<void> {
  if (customers.length === 0) return;
  const ids = customers.map(({ id }) => id);
  await store.assignAll(trx, ids, agent, deps.now());
  await keepAgents(trx, ids);
  await announceCustomers(deps, trx, ids);
  const changed = new Map((await store.findCustomers(trx, ids)).map((one) => [one.id, toCustomer(one)]));
  for (const before of customers) {
    const after = changed.get(before.id);
    if (after) await auditCustomer(trx, toCustomer(before), after);
  }
}

export async function handOverCustomers(
  deps: Deps,
  trx: Trx,
  { from, assigned_agent: to }: HandOver,
  dryRun = false,
): Promise<HandedOver> {
  if (dryRun) return { handed_over: 0, left: await store.countOfAgent(trx, from) };
  await refuseUnknown(deps, trx, to, null);
  const locked = await store.lockCustomers(trx, await store.idsOfAgent(trx, from, mostHandedOver));
  const theirs = locked.filter(({ assigned_agent }) => assigned_agent === from);
  await give(deps, trx, theirs, to);
  return { handed_over: theirs.length, left: await store.countOfAgent(trx, from) };
}
