import { importPlaces } from '@ops/service-kit/imports/import-places';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import { startFetching } from './attachments/attachment-jobs.ts';
import { mountAttachmentRoutes } from './attachments/attachment-routes.ts';
import { ingestParts } from './attachments/ingest-parts.ts';
import { requestMedia } from './attachments/media-request.ts';
import { providerSources } from './attachments/provider-media.ts';
import { consumePlannedSends } from './communications/communication-consumers.ts';
import { mountCommunicationRoutes } from './communications/communication-routes.ts';
import type { Config } from './config.ts';
import { mountCustomerRoutes } from './customers/customer-routes.ts';
import { consumeDeliveryUpdates } from './deliveries/delivery-consumers.ts';
import { mountDeliveryRoutes } from './deliveries/delivery-routes.ts';
import type { Deps } from './deps.ts';
import { figures } from './figures.ts';
import { startImporting } from './imports/import-jobs.ts';
import { mountImportRoutes } from './imports/import-routes.ts';
import { consumeProviderMessages } from './inbound/inbound-consumers.ts';
import { holdersOf } from './retention/holders.ts';
import { scheduleRetention } from './retention/retention-jobs.ts';
import { commsPlaces } from './retention/retention-places.ts';
import { mountRetentionRoutes } from './retention/retention-routes.ts';
import type { RetentionDeps } from './retention/retention-service.ts';
import { consumeRenewalEvents } from './timeline/timeline-consumers.ts';
import { mountTimelineRoutes } from './timeline/timeline-routes.ts';
import { topology } from './topology.ts';
import { mountUnmatchedRoutes } from './unmatched/unmatched-routes.ts';

const migrations = new URL('../migrations/', import.meta.url);

export function compose(config: Config): Promise<Running> {
  const depsOf = ({ outbox }: ServiceParts): Deps => ({
    outbox,
    now: () => new Date(),
    phoneRegion: config.DEFAULT_PHONE_REGION,
  });
  const others = createInternalClient({
    self: 'comms-service',
    privateKey: config.INTERNAL_PRIVATE_KEY,
    urls: {
      'renewals-service': config.RENEWALS_SERVICE_URL,
      'webhook-ingest': config.WEBHOOK_INGEST_URL,
      notifier: config.NOTIFIER_URL,
    },
  });
  const retentionOf = ({ retention, logger }: ServiceParts): RetentionDeps => ({
    holders: holdersOf(retention, others),
    logger,
    now: () => new Date(),
  });
  const sources = {
    ...providerSources(config, requestMedia),
    ingest: ingestParts(others, config.ATTACHMENT_MAX_BYTES),
  };
  return startService({
    topology,
    config,
    migrations,
    figures,
    routes(parts) {
      const { http } = parts;
      const deps = depsOf(parts);
      mountCustomerRoutes(http, deps);
      mountCommunicationRoutes(http, deps);
      mountDeliveryRoutes(http, deps);
      mountAttachmentRoutes(http, deps);
      mountTimelineRoutes(http);
      mountUnmatchedRoutes(http, deps);
      mountImportRoutes(http, deps);
      mountRetentionRoutes(http, retentionOf(parts));
    },
    consumers: (parts) => [
      consumeRenewalEvents(parts.db, parts.bus, parts.logger),
      consumeProviderMessages(parts, depsOf(parts)),
      consumePlannedSends(parts, depsOf(parts)),
      consumeDeliveryUpdates(parts, depsOf(parts)),
    ],
    jobs: (parts) => [
      startFetching(parts, { ...depsOf(parts), db: parts.db, sources }),
      startImporting(parts, depsOf(parts)),
      ...scheduleRetention(parts.db, retentionOf(parts), config),
    ],
    retentionPlaces: (outbox) => [...commsPlaces({ outbox, now: () => new Date() }), ...importPlaces],
  });
}
