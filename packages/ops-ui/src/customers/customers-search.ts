/** What the page of customers shows, as its address says it. */
export interface CustomersSearch {
  query?: string;
  unread?: true;
  /** Those who are customers no more. */
  archived?: true;
  /** The form of somebody new is open, with what was looked for before, if anything. */
  create?: string | true;
}

export const customersSearch = ({ query, unread, archived, create }: Record<string, unknown>): CustomersSearch => ({
  ...(typeof query === 'string' && query !== '' && { query }),
  ...(unread === true && { unread }),
  ...(archived === true && unread !== true && { archived }),
  ...(create === true && { create }),
  ...(typeof create === 'string' && create !== '' && { create }),
  // A number in the address is read as one.
  ...(typeof create === 'number' && { create: String(create) }),
});

/** Where in the form it belongs what somebody looked for. */
export function beginningOf(typed: string): { name?: string; phones?: string; emails?: string } {
  if (typed === '') return {};
  if (typed.includes('@')) return { emails: typed };
  return /^[\d\s()./+-]+$/.test(typed) ? { phones: typed } : { name: typed };
}
