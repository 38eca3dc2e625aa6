import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { daysAfter } from '../parts/days.ts';
import type { ProcessName } from './service-names.ts';
import type { AuditSearch } from './settings-search.ts';

const pageSize = 50;

export const serviceIn = ({ service = 'comms-service' }: AuditSearch): ProcessName => service;

const beginningOf = (day: string) => new Date(`${day}T00:00`).toISOString();

const filterOf = ({ customer, who, from, to }: AuditSearch) => ({
  ...(customer && { customer_id: customer }),
  ...(who && { actor: who }),
  ...(from && { from: beginningOf(from) }),
  ...(to && { to: beginningOf(daysAfter(to, 1)) }),
});

/** Asked for anew whenever somebody looks: nothing tells of it. */
export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    ...inPages(['audit', search], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/services/{name}/audit', {
          params: { path: { name: serviceIn(search) }, query: { limit: pageSize, ...filterOf(search), ...cursor } },
          signal,
        }),
      ),
    ),
    staleTime: 0,
  });

/** All that fits, a line each. */
export const auditFile = (search: AuditSearch): string =>
  `/ops/services/${serviceIn(search)}/audit.jsonl?${new URLSearchParams(filterOf(search))}`;
