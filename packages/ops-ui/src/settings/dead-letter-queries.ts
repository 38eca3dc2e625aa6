import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { ServiceName } from './service-names.ts';

export const deadLetterPageSize = 50;

/** Nothing tells of one: they are looked for now and then. */
const againMs = 30_000;
/** Of services one does not look at, where the number alone is shown. */
export const countAgainMs = 120_000;

export const deadLettersQuery = (name: ServiceName, replayed: boolean) =>
  infiniteQueryOptions({
    ...inPages(['dead-letters', name, { replayed }], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/services/{name}/dead-letters', {
          params: {
            path: { name },
            query: { limit: deadLetterPageSize, replayed: replayed ? 'true' : 'false', ...cursor },
          },
          signal,
        }),
      ),
    ),
    staleTime: 0,
    refetchInterval: againMs,
  });
