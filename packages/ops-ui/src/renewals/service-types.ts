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

/** Until the firm's own name for it is there. */
const inWords = (code: string): string => (code.charAt(0) + code.slice(1).toLowerCase()).replaceAll('_', ' ');

/** What the firm calls a service; its code in words where it has no name. */
export function useServiceNames(): (code: string) => string {
  const { data } = useQuery(serviceTypesQuery);
  return useCallback((code) => data?.find((one) => one.code === code)?.label ?? inWords(code), [data]);
}
