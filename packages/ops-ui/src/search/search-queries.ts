import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { unmatchedQuery } from '../unmatched/unmatched-queries.ts';

/** Of fewer characters too much is found to be of use. */
const fewest = 3;
export const isEnough = (q: string): boolean => q.length >= fewest;

/** Messages, notes and calls that have these words, newest first. */
export const messagesQuery = (q: string, limit: number) => ({
  ...inPages(['found', 'messages', q, limit], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/communications/search', { params: { query: { q, limit, ...cursor } }, signal })),
  ),
  enabled: isEnough(q),
});

/** Messages that wait to be given to somebody, by who wrote them. */
export const sendersQuery = (q: string, limit: number) => ({
  ...unmatchedQuery('waiting', q, limit),
  enabled: isEnough(q),
});

/** By the number of a policy or permit, those that are over too. */
export const renewalsQuery = (q: string, limit: number) => ({
  ...inPages(['renewals', 'queue', 'found', q, limit], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/renewals', { params: { query: { q, limit, ...cursor } }, signal })),
  ),
  enabled: isEnough(q),
});

/** Open ones before all. */
export const tasksQuery = (q: string, limit: number) => ({
  ...inPages(['tasks', 'found', q, limit], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/tasks', { params: { query: { q, limit, ...cursor } }, signal })),
  ),
  enabled: isEnough(q),
});
