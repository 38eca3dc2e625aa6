import { type QueueSearch, queueSearch } from '../attention/waiting-search.ts';

/** Whom a customer is compared with, as an address says it, and through whom somebody goes meanwhile. */
interface CompareSearch extends QueueSearch {
  /** The other one; nobody yet without it. */
  with?: string;
  /** Which of the two stays, where somebody said so. */
  stays?: string;
}

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  const { with: other, stays } = search;
  const through = queueSearch(search);
  if (typeof other !== 'string' || other === '') return through;
  return { ...through, with: other, ...(typeof stays === 'string' && { stays }) };
}
