import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';

const pageSize = 50;

/** Sends that failed or of which nobody knows, of all customers, newest first. */
export const failedQuery = inPages(['failed'], ({ cursor, signal }) =>
  dataOf(api.GET('/ops/communications/failed', { params: { query: { limit: pageSize, ...cursor } }, signal })),
);
