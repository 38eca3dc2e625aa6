import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

/** What the messaging app approved; it changes with the service's settings alone. */
export const messagingTemplatesQuery = queryOptions({
  queryKey: ['messaging-templates'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/messaging-templates', { signal }))).data,
});
