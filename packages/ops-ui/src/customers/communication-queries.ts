import { type InfiniteData, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { queries } from '../api/queries.ts';
import type { Communication } from '../api/types.ts';

export const filters = [
  { value: 'all', label: 'All' },
  { value: 'messaging_app', label: 'Messaging app' },
  { value: 'email', label: 'E-mail' },
  { value: 'notes', label: 'Notes' },
] as const;
export type Filter = (typeof filters)[number]['value'];

const pageSize = 50;
/** What somebody is led to may be a year back. */
const pageSizeOnTheWay = 200;

/** Newest first, older ones as somebody scrolls to them; in greater steps to a message that somebody is led to. */
export const communicationsQuery = (customerId: string, filter: Filter, q: string, message?: string) =>
  inPages(['communications', customerId, { filter, q, message }], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/customers/{id}/communications', {
        params: {
          path: { id: customerId },
          query: { limit: message ? pageSizeOnTheWay : pageSize, filter, ...(q && { q }), ...cursor },
        },
        signal,
      }),
    ),
  );

/** One that somebody has on the screen, or had. */
export const seenInLog = (customerId: string, id: string): Communication | undefined =>
  queries
    .getQueriesData<InfiniteData<{ data?: Communication[] }>>({ queryKey: ['communications', customerId] })
    .flatMap(([, log]) => log?.pages?.flatMap(({ data = [] }) => data) ?? [])
    .find((record) => record.id === id);

/** How many there are of each filter. */
export const countsQuery = (customerId: string, q: string) =>
  queryOptions({
    queryKey: ['communications', customerId, 'counts', q],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/ops/customers/{id}/communications/counts', {
          params: { path: { id: customerId }, query: q === '' ? {} : { q } },
          signal,
        }),
      ),
  });

export const markRead = (customerId: string, upTo: string) =>
  api.PATCH('/ops/customers/{id}/communications/read', {
    params: { path: { id: customerId } },
    body: { up_to: upTo },
  });
