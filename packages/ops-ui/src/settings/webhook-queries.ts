import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { WebhookSearch } from './settings-search.ts';

const pageSize = 50;

export const webhooksQuery = ({ provider, outcome }: WebhookSearch) =>
  infiniteQueryOptions({
    ...inPages(['webhooks', { provider, outcome }], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/webhook-deliveries', {
          params: { query: { limit: pageSize, ...(provider && { provider }), ...(outcome && { outcome }), ...cursor } },
          signal,
        }),
      ),
    ),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/webhook-deliveries/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
