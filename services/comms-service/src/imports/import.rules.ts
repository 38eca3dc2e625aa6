import type { CustomerImportRow } from '@ops/contracts/resources/import';
import { isAlready, type StoredCustomer, type Wanted } from '../customers/customer.rules.ts';

export function outcomeOf(stored: StoredCustomer | undefined, wanted: Wanted): 'create' | 'change' | 'unchanged' {
  if (!stored) return 'create';
  return isAlready(stored, wanted) ? 'unchanged' : 'change';
}

/** Whom nobody knows, unless the customer is theirs already, from before agents were known. */
export const agentToRefuse = (
  { assigned_agent: agent }: CustomerImportRow,
  stored: StoredCustomer | undefined,
  unknown: ReadonlySet<string>,
): string | undefined =>
  agent !== undefined && unknown.has(agent) && agent !== stored?.assigned_agent ? agent : undefined;
