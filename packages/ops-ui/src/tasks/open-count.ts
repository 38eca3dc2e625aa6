import { useInfiniteQuery } from '@tanstack/react-query';
import { tasksQuery } from './task-queries.ts';

/** How many open tasks a customer has: "50+" where there are more than one looks through. Nothing while nobody knows. */
export function useOpenTasks(customerId: string): string | null {
  const { data, hasNextPage } = useInfiniteQuery(tasksQuery({ status: 'OPEN', customer_id: customerId }));
  const count = data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  if (count === 0) return null;
  return hasNextPage ? `${count}+` : String(count);
}
