import { internalRoutes } from '@ops/contracts/internal-routes';
import { InternalCallError, type InternalClient } from '@ops/service-kit/internal-client';
import { FetchError, tooLarge } from './attachment.rules.ts';
import type { FileSource } from './file-source.ts';

/** Parts of e-mails, which lie with webhook-ingest. */
export const ingestParts = (client: Pick<InternalClient, 'file'>, mostBytes: number): FileSource => ({
  async fetch(id) {
    const content = await client
      .file('webhook-ingest', internalRoutes.getDeliveryPart, { params: { id } })
      .catch((error: unknown) => {
        throw error instanceof InternalCallError && error.status === 404
          ? new FetchError('gone', 'What the provider delivered is not kept any more', true)
          : new FetchError('unreachable', 'webhook-ingest could not be asked', false, error);
      });
    if (content.length > mostBytes) throw tooLarge(mostBytes);
    return content;
  },
});
