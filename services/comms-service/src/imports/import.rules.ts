import type { PutCustomer } from '@ops/contracts/resources/customer';
import type { CustomerImportRow } from '@ops/contracts/resources/import';
import { given, isAlready, type StoredCustomer, type Wanted } from '../customers/customer.rules.ts';

/** What a PUT would say: what the row does not is as it was. */
export function merged(stored: StoredCustomer | undefined, row: CustomerImportRow): PutCustomer {
  const { customer_id: _, name, phones, emails, do_not_contact, ...rest } = row;
  return {
    name,
    phones: phones ?? (stored ? given(stored, 'phone') : []),
    emails: emails ?? (stored ? given(stored, 'email') : []),
    do_not_contact: do_not_contact ?? stored?.do_not_contact ?? false,
    locale: rest.locale ?? stored?.locale,
    time_zone: rest.time_zone ?? stored?.time_zone,
    assigned_agent: rest.assigned_agent ?? stored?.assigned_agent,
    preferred_channel: rest.preferred_channel ?? stored?.preferred_channel,
  };
}

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
