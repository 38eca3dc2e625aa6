import { importPlaces } from '@ops/service-kit/imports/import-places';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { nothingToTell, startService } from '@ops/service-kit/service';
import { startFetching } from './attachments/attachment-jobs.ts';
import { mountAttachmentRoutes } from './attachments/attachment-routes.ts';
import { ingestParts } from './attachments/ingest-parts.ts';
import { requestMedia } from './attachments/media-request.ts';
import { providerSources } from './attachments/provider-media.ts';
import { mountCommunicationRoutes } from './communications/communication-routes.ts';
import { logPlanned } from './communications/communication-service.ts';
import type { Config } from './config.ts';
import { mountCustomerRoutes } from './customers/customer-routes.ts';
import { mountDeliveryRoutes } from './deliveries/delivery-routes.ts';
import { takeDeliveryUpdates } from './deliveries/delivery-service.ts';
import type { Deps } from './deps.ts';
import { figures } from './figures.ts';
import { startImporting } from './imports/import-jobs.ts';
import { mountImportRoutes } from './imports/import-routes.ts';
import { takeIn } from './inbound/inbound-service.ts';
import { holdersOf } from './retention/holders.ts';
import { scheduleRetention } from './retention/retention-jobs.ts';
import { commsPlaces } from './retention/retention-places.ts';
import { mountRetentionRoutes } from './retention/retention-routes.ts';
import type { RetentionDeps } from './retention/retention-service.ts';
import { mountTimelineRoutes } from './timeline/timeline-routes.ts';
import { writeTimeline } from './timeline/timeline-service.ts';
import { topology } from './topology.ts';
import { mountUnmatchedRoutes } from './unmatched/unmatched-routes.ts';

const migrations = new URL('../migrations/', import.meta.url);

const now = () => new Date();

export const compose = (config: Config): Promise<Running> =>
  startService({
    topology,
    config,
    migrations,
    figures,
    retentionPlaces: (outbox) => [...commsPlaces({ outbox, now }), ...importPlaces],
    work(parts) {
      const { http, db, outbox, logger, retention } = parts;
      const deps: Deps = { outbox, now, phoneRegion: config.DEFAULT_PHONE_REGION };
      const others = askOthers(config);
      const removing: RetentionDeps = { holders: holdersOf(retention, others), logger, now };
      const sources = {
        ...providerSources(config, requestMedia),
        ingest: ingestParts(others, config.ATTACHMENT_MAX_BYTES),
      };

      mountCustomerRoutes(http, deps);
      mountCommunicationRoutes(http, deps);
      mountDeliveryRoutes(http, deps);
      mountAttachmentRoutes(http, deps);
      mountTimelineRoutes(http);
      mountUnmatchedRoutes(http, deps);
      mountImportRoutes(http, deps);
      mountRetentionRoutes(http, removing);

      const { renewalTimeline, providerMessages, plannedSends, deliveryStatus } = topology.queues;
      return {
        consumers: [
          { queue: renewalTimeline, handle: writeTimeline, committed: nothingToTell },
          { queue: providerMessages, handle: (trx, events) => takeIn(deps, trx, events) },
          { queue: plannedSends, handle: (trx, events) => logPlanned(deps, trx, events) },
          { queue: deliveryStatus, handle: (trx, events) => takeDeliveryUpdates(deps, trx, events) },
        ],
        jobs: () => [
          startFetching(parts, { ...deps, db, sources }),
          startImporting(parts, deps),
          ...scheduleRetention(db, removing, config),
        ],
      };
    },
  });

const askOthers = (config: Config) =>
  createInternalClient({
    self: 'comms-service',
    privateKey: config.INTERNAL_PRIVATE_KEY,
    urls: {
      'renewals-service': config.RENEWALS_SERVICE_URL,
      'webhook-ingest': config.WEBHOOK_INGEST_URL,
      notifier: config.NOTIFIER_URL,
    },
  });
