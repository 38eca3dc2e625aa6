import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { daysAfter } from '../parts/days.ts';
import type { RenewalsSearch } from './renewals-search.ts';

const pageSize = 50;

type Filters = Pick<RenewalsSearch, 'window' | 'service_type' | 'status' | 'agent' | 'week'>;

/** The most urgent first. */
export const queueQuery = ({ window, service_type, status, agent, week }: Filters) =>
  inPages(['renewals', 'queue', { window, service_type, status, agent, week }], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/renewals', {
        params: {
          query: {
            limit: pageSize,
            ...(window && { window }),
            ...(service_type && { service_type }),
            ...(status && { status }),
            ...(agent !== undefined && { assigned_agent: agent }),
            ...(week && { due_from: week, due_to: daysAfter(week, 6) }),
            ...cursor,
          },
        },
        signal,
      }),
    ),
  );

export const summaryQuery = queryOptions({
  queryKey: ['renewals', 'summary'],
  queryFn: ({ signal }) => dataOf(api.GET('/ops/renewals/summary', { signal })),
});

export const renewalQuery = (id: string) =>
  queryOptions({
    queryKey: ['renewal', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/ops/renewals/{renewal_id}', { params: { path: { renewal_id: id } }, signal })),
  });

export const customerRenewalsQuery = (customerId: string) =>
  inPages(['customer-renewals', customerId], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/customers/{id}/renewals', {
        params: { path: { id: customerId }, query: { limit: pageSize, ...cursor } },
        signal,
      }),
    ),
  );

export const renewalTasksQuery = (renewalId: string) =>
  queryOptions({
    queryKey: ['tasks', 'of-renewal', renewalId],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/ops/tasks', { params: { query: { renewal_id: renewalId, limit: 50 } }, signal }))).data,
  });
