import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, dataOf } from '../api/client.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';

export const serviceTypesQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['service-types'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/service-types', { signal }))).data,
});

export const useServiceTypes = () => useQuery(serviceTypesQuery).data ?? [];

/** What the firm calls a service; its code where it has no name. */
export function useServiceNames(): (code: string) => string {
  const { data } = useQuery(serviceTypesQuery);
  return useCallback((code) => data?.find((one) => one.code === code)?.label ?? code, [data]);
}
