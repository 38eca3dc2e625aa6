import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { asProblem, type ProblemError } from '../api/problem.ts';
import type { Draft } from './draft.ts';

/** Nothing is asked of what is not there yet. */
type Condition = { 'If-Match'?: string };

interface Saving<T, R extends { version: number }> {
  draft: Draft<T>;
  /** What shows the saved thing. */
  queryKey: QueryKey;
  send(value: T, condition: Condition): Promise<R>;
  /** How a draft of the saved thing is called, where it was a new one. */
  nameOf?(result: R): string;
  /** `isAll`: nothing was typed meanwhile. */
  saved(result: R, isAll: boolean): void;
}

export interface Save {
  isPending: boolean;
  problem: ProblemError | null;
  /** Why this field was not taken. */
  field(path: string): string | undefined;
  /** Over this version, which is the one it was begun on unless somebody decided otherwise. */
  over(version: number): void;
}

/** Saves what a form holds, unless somebody else saved since it was begun: then it says so. Nothing typed is lost, nor what is typed meanwhile. */
export function useSave<T, R extends { version: number }>({
  draft,
  queryKey,
  send,
  nameOf,
  saved,
}: Saving<T, R>): Save {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (version: number) => {
      const result = await send(draft.value, version > 0 ? { 'If-Match': `"${version}"` } : {});
      return { sent: draft.value, result };
    },
    onSuccess: async ({ sent, result }) => {
      await queries.invalidateQueries({ queryKey });
      saved(result, draft.saved(sent, result.version, nameOf?.(result)));
    },
    onError: (failure) => (isStale(failure) ? queries.invalidateQueries({ queryKey }) : undefined),
  });
  const problem = error && asProblem(error);
  return { isPending, problem, field: (path) => problem?.field(path), over: mutate };
}

const isStale = (failure: Error): boolean => asProblem(failure).status === 412;
