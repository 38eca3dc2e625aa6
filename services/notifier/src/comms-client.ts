import { internalRoutes } from '@ops/contracts/internal-routes';
import { customersOver } from '@ops/following/customer-client';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Comms } from './deps.ts';

export const commsOver = (client: InternalClient): Comms => ({
  maySend: (id, attempt) =>
    client.ask('comms-service', internalRoutes.askToSend, { params: { id }, query: { attempt } }),
  ...customersOver(client),
  file: (id) => client.file('comms-service', internalRoutes.getAttachmentContent, { params: { id } }),
});
