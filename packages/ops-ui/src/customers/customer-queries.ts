import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';

const pageSize = 50;

export const customersQuery = (query: string, unread: boolean) =>
  inPages(['customers', 'list', { query, unread }], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/customers', {
        params: {
          query: { limit: pageSize, ...(query && { query }), ...(unread && { unread: 'true' as const }), ...cursor },
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
