import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { RefreshPreview } from '../api/types.ts';

const pageSize = 100;

/** What a refresh of that day would do; without a day, the one that could be run now. Those it would alert come first. */
export const dryRunQuery = (as_of: string | undefined) =>
  inPages(
    ['refresh', 'dry-run', as_of ?? 'today'],
    async ({ cursor, signal }) =>
      (await dataOf(
        api.POST('/ops/renewals/refresh', {
          params: { query: { dry_run: 'true', limit: pageSize, ...(as_of && { as_of }), ...cursor } },
          signal,
        }),
      )) as RefreshPreview,
  );
