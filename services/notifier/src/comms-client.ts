import { internalRoutes } from '@ops/contracts/internal-routes';
import { customersOver } from '@ops/following/customer-client';
import type { InternalClient } from '@ops/service-kit/internal-client';
import { askTogether } from './asking-client.ts';
import type { Attempted, Comms } from './deps.ts';

export function commsOver(client: InternalClient): Comms {
  const ask = askTogether({
    one: ({ communication_id: id, attempt }: Attempted) =>
      client.ask('comms-service', internalRoutes.askToSend, { params: { id }, query: { attempt } }),
    several: async (all) => {
      const asked = all.map(({ communication_id: id, attempt }) => ({ id, attempt }));
      return (await client.ask('comms-service', internalRoutes.askToSendSeveral, { body: { data: asked } })).data;
    },
  });
  return {
    maySend: (communication_id, attempt) => ask({ communication_id, attempt }),
    ...customersOver(client),
    file: (id) => client.file('comms-service', internalRoutes.getAttachmentContent, { params: { id } }),
  };
}
