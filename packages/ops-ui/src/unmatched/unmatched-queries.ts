import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { Unmatched } from '../api/types.ts';

const pageSize = 50;

/** Newest first. */
export const unmatchedQuery = (state: Unmatched['state']) =>
  inPages(['unmatched', state], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/unmatched', { params: { query: { limit: pageSize, state, ...cursor } }, signal })),
  );
