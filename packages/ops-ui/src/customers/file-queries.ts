import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';

const pageSize = 8;

/** What came and went with the customer, newest first. */
export const filesQuery = (customerId: string) =>
  inPages(['communications', customerId, 'files'], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/customers/{id}/attachments', {
        params: { path: { id: customerId }, query: { limit: pageSize, ...cursor } },
        signal,
      }),
    ),
  );
