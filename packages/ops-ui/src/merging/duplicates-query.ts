import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

/** Who may be the same person. */
export const duplicatesQuery = (id: string) =>
  queryOptions({
    queryKey: ['duplicates', id],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/ops/customers/{id}/duplicates', { params: { path: { id } }, signal }))).data,
  });
