import { useInfiniteQuery } from '@tanstack/react-query';
import { customerRenewalsQuery } from './renewal-queries.ts';
import { isOpen } from './renewal-words.ts';

/** How many dates of a customer are watched; nothing while nobody knows. */
export function useOpenRenewals(customerId: string): string | null {
  const { data } = useInfiniteQuery(customerRenewalsQuery(customerId));
  const count = data?.pages.flatMap((page) => page.data).filter(isOpen).length ?? 0;
  return count === 0 ? null : String(count);
}
