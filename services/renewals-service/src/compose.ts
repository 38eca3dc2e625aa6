import { businessDate } from '@ops/service-kit/business-date';
import { importPlaces } from '@ops/service-kit/imports/import-places';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { nothingToTell, startService } from '@ops/service-kit/service';
import { takeMessages, takeOutcomes } from './alerts/alert-service.ts';
import { mountFlagRoutes } from './compliance/flag-routes.ts';
import type { Config } from './config.ts';
import { customersOver } from './customers/customer-client.ts';
import type { Deps } from './deps.ts';
import { figures } from './figures.ts';
import { startImporting } from './imports/import-jobs.ts';
import { mountImportRoutes } from './imports/import-routes.ts';
import { mountQueueRoutes } from './queue/queue-routes.ts';
import { startRefreshing } from './refresh/refresh-jobs.ts';
import { mountRefreshRoutes } from './refresh/refresh-routes.ts';
import { createRefresher } from './refresh/refresher.ts';
import { mountRenewalRoutes } from './renewals/renewal-routes.ts';
import { mountServiceTypeRoutes } from './service-types/service-type-routes.ts';
import { topology } from './topology.ts';
import { mountUpstreamRoutes } from './upstream/upstream-routes.ts';
import { completePublished, takePublished } from './upstream/upstream-service.ts';

const migrations = new URL('../migrations/', import.meta.url);

/** Somebody waits for the answer: a screen is better without names than not there. */
const customersTimeoutMs = 5_000;

/** The clock is given by tests alone. */
export function compose(config: Config, now = () => new Date()): Promise<Running> {
  const { INTERNAL_PRIVATE_KEY: privateKey, COMMS_SERVICE_URL, OPS_TIME_ZONE: timeZone, REFRESH_CRON: cron } = config;
  const urls = { 'comms-service': COMMS_SERVICE_URL };
  const customers = customersOver(
    createInternalClient({ self: 'renewals-service', privateKey, urls, timeoutMs: customersTimeoutMs }),
  );
  return startService({
    topology,
    config,
    migrations,
    figures,
    retentionPlaces: () => importPlaces,
    work(parts) {
      const { http, db, logger, outbox } = parts;
      const deps: Deps = { outbox, now, customers, today: () => businessDate(now(), timeZone) };
      const refresher = createRefresher({
        ...deps,
        db,
        logger,
        committed: http.committed,
        batch: config.REFRESH_BATCH,
      });

      // Before the renewals, of which none is called `refresh`.
      mountRefreshRoutes(http, { ...deps, refresher, logger, answerMs: config.REFRESH_ANSWER_MS });
      mountQueueRoutes(http, deps);
      mountRenewalRoutes(http, deps);
      mountServiceTypeRoutes(http, deps);
      mountFlagRoutes(http, deps);
      mountImportRoutes(http, deps);
      mountUpstreamRoutes(http, deps);

      const { alertOutcomes, messages, upstream } = topology.queues;
      return {
        consumers: [
          { queue: alertOutcomes, handle: takeOutcomes, committed: nothingToTell },
          { queue: messages, handle: takeMessages, committed: nothingToTell },
          {
            queue: upstream,
            complete: (event) => completePublished(event, now()),
            handle: (trx, events) => takePublished(deps, trx, events),
          },
        ],
        jobs: () => [...startRefreshing({ ...parts, ...deps, refresher, cron, timeZone }), startImporting(parts, deps)],
      };
    },
  });
}
