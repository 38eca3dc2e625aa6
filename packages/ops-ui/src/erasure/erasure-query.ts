import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { ProblemError } from '../api/problem.ts';

/** What was proposed for the customer, and the certificate once there is one: services say bit by bit that they are done. */
export const erasureQuery = (id: string) =>
  queryOptions({
    queryKey: ['customer', id, 'erasure'],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/customers/{id}/erasure', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.certificate && !data.certificate.completed_at ? 2_000 : false),
  });

/** Whoever had this id was erased. */
export const isErased = ({ status, problem }: ProblemError): boolean => status === 404 && problem.code === 'erased';
