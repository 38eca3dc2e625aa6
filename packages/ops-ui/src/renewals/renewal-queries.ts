import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { RenewalsSearch } from './renewals-search.ts';

const pageSize = 50;

interface Filters
  extends Pick<RenewalsSearch, 'window' | 'service_type' | 'status' | 'agent' | 'run' | 'rung' | 'risk'> {
  /** The first and the last day. */
  due?: { from: string; to: string };
}

/** The most urgent first. */
export const queueQuery = ({ window, service_type, status, agent, run, rung, risk, due }: Filters) =>
  inPages(['renewals', 'queue', { window, service_type, status, agent, run, rung, risk, due }], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/renewals', {
        params: {
          query: {
            limit: pageSize,
            ...(window && { window }),
            ...(service_type && { service_type }),
            ...(status && { status }),
            ...(agent !== undefined && { assigned_agent: agent }),
            ...(run && { run_id: run }),
            ...(rung && { rung }),
            ...(risk && { at_risk: 'true' as const }),
            ...(due && { due_from: due.from, due_to: due.to }),
            ...cursor,
          },
        },
        signal,
      }),
    ),
  );

/** Of all, or of one agent's; of nobody's with an empty one. */
export const summaryQuery = (agent?: string) =>
  queryOptions({
    queryKey: ['renewals', 'summary', { agent }],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/ops/renewals/summary', {
          params: { query: agent === undefined ? {} : { assigned_agent: agent } },
          signal,
        }),
      ),
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
