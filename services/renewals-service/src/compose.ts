import { businessDate } from '@ops/service-kit/business-date';
import { importPlaces } from '@ops/service-kit/imports/import-places';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import { consumeAlertOutcomes, consumeMessages } from './alerts/alert-consumers.ts';
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
import { createRefresher, type Refresher } from './refresh/refresher.ts';
import { mountRenewalRoutes } from './renewals/renewal-routes.ts';
import { mountServiceTypeRoutes } from './service-types/service-type-routes.ts';
import { topology } from './topology.ts';
import { consumeUpstream } from './upstream/upstream-consumers.ts';
import { mountUpstreamRoutes } from './upstream/upstream-routes.ts';

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
  const depsOf = ({ outbox }: ServiceParts): Deps => ({
    outbox,
    now,
    customers,
    today: () => businessDate(now(), timeZone),
  });
  let refresher: Refresher;
  return startService({
    topology,
    config,
    migrations,
    figures,
    routes(parts) {
      const { http, db, logger } = parts;
      const deps = depsOf(parts);
      refresher = createRefresher({ ...deps, db, logger, committed: http.committed, batch: config.REFRESH_BATCH });
      // Before the renewals, of which none is called `refresh`.
      mountRefreshRoutes(http, { ...deps, refresher, logger, answerMs: config.REFRESH_ANSWER_MS });
      mountQueueRoutes(http, deps);
      mountRenewalRoutes(http, deps);
      mountServiceTypeRoutes(http, deps);
      mountFlagRoutes(http, deps);
      mountImportRoutes(http, deps);
      mountUpstreamRoutes(http, deps);
    },
    consumers: (parts) => [consumeAlertOutcomes(parts), consumeMessages(parts), consumeUpstream(parts, depsOf(parts))],
    jobs: (parts) => [
      ...startRefreshing({ ...parts, ...depsOf(parts), refresher, cron, timeZone }),
      startImporting(parts, depsOf(parts)),
    ],
    retentionPlaces: () => importPlaces,
  });
}
