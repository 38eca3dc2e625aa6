import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { ProblemError } from '../api/problem.ts';

const pageSize = 50;

/** Which of them a list has; without it all, former ones only where they are looked for. */
export type Which = 'unread' | 'archived';

export const customersQuery = (query: string, which?: Which) =>
  inPages(['customers', 'list', { query, which }], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/customers', {
        params: {
          query: { limit: pageSize, ...(query && { query }), ...(which && { [which]: 'true' as const }), ...cursor },
        },
        signal,
      }),
    ),
  );

const foundAtOnce = 8;

/** The few that fit what is being typed; nobody while nothing is. */
export const customerSearchQuery = (query: string) =>
  queryOptions({
    queryKey: ['customers', 'search', query],
    enabled: query !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/ops/customers', { params: { query: { query, limit: foundAtOnce } }, signal }))).data,
  });

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customer', id],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/customers/{id}', { params: { path: { id } }, signal })),
  });

/** There is no such customer, or none yet: an id may be told of before anybody describes whose it is. */
export const isUnknown = ({ status, problem }: ProblemError): boolean => status === 404 && problem.code === 'not_found';

export const flagsQuery = (customerId: string) =>
  queryOptions({
    queryKey: ['flags', customerId],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/ops/customers/{id}/compliance-flags', {
            params: { path: { id: customerId }, query: { state: 'open', limit: 50 } },
            signal,
          }),
        )
      ).data,
  });

/** As many as one page holds; a firm with more unread customers than that has other worries than the number. */
const mostCounted = 200;

/** How many messages nobody has read, of all customers; "+" after it where there are more than one looks through. */
export const unreadTotalQuery = queryOptions({
  queryKey: ['customers', 'unread-total'],
  queryFn: async ({ signal }) => {
    const params = { query: { unread: 'true' as const, limit: mostCounted } };
    const { data, next_cursor } = await dataOf(api.GET('/ops/customers', { params, signal }));
    const total = data.reduce((sum, { unread_count }) => sum + unread_count, 0);
    return total === 0 ? null : `${total}${next_cursor ? '+' : ''}`;
  },
});
