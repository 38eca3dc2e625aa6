import { queryOptions } from '@tanstack/react-query';
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
