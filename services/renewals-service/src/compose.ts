import { consume } from '@ops/bus/consumer';
import { localDate } from '@ops/contracts/local-time';
import { renewalImports } from '@ops/contracts/routes/renewals';
import { agentsOver } from '@ops/following/agent-client';
import { followAgents } from '@ops/following/agent-service';
import { customersOver } from '@ops/following/customer-client';
import { toldIn } from '@ops/following/customer-service';
import { continueImports, giveUpImport } from '@ops/imports/continue';
import { resumeImports } from '@ops/imports/import-jobs';
import { importPlaces } from '@ops/imports/import-places';
import { mountImports } from '@ops/imports/import-routes';
import { createGivingWay } from '@ops/service-kit/giving-way';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { nothingToTell, startService } from '@ops/service-kit/service';
import { takeMessages, takeOutcomes } from './alert-outcomes/alert-service.ts';
import { alertsOver } from './alert-plan/foresight-client.ts';
import { alertPlansOver } from './alert-plan/plan-client.ts';
import { followPlan } from './alert-plan/plan-jobs.ts';
import { followAlertPlan } from './alert-plan/plan-service.ts';
import { mountFlagRoutes } from './compliance/flag-routes.ts';
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import { renewalsErasure } from './erasure-places.ts';
import { renewalsKinds } from './export-places.ts';
import { figures } from './figures.ts';
import { renewalImport } from './imports/import-service.ts';
import { migrations } from './migrations.ts';
import { mountQueueRoutes } from './queue/queue-routes.ts';
import { addUpChanges } from './queue/summary-jobs.ts';
import { startRefreshing } from './refresh/refresh-jobs.ts';
import { mountRefreshRoutes } from './refresh/refresh-routes.ts';
import { createRefresher } from './refresh/refresh-worker.ts';
import { askForCustomers } from './renewals/customer-agent-jobs.ts';
import { followCustomers } from './renewals/customer-agent-service.ts';
import { mountRenewalRoutes } from './renewals/renewal-routes.ts';
import { mountServiceTypeRoutes } from './service-types/service-type-routes.ts';
import { followTasks } from './tasks/task-service.ts';
import { topology } from './topology.ts';
import { mountUpstreamRoutes } from './upstream/upstream-routes.ts';
import { completePublished, takePublished } from './upstream/upstream-service.ts';

/** Somebody waits for the answer: a screen is better without names than not there. */
const othersTimeoutMs = 5_000;

const owned = { topology, migrations, figures, erasurePlaces: renewalsErasure, exportedKinds: renewalsKinds };

/** The clock is given by tests alone. */
export function compose(config: Config, now = () => new Date()): Promise<Running> {
  const { INTERNAL_PRIVATE_KEY: privateKey, OPS_TIME_ZONE: timeZone, REFRESH_CRON: cron } = config;
  const urls = { 'comms-service': config.COMMS_SERVICE_URL, notifier: config.NOTIFIER_URL };
  const others = createInternalClient({ self: 'renewals-service', privateKey, urls, timeoutMs: othersTimeoutMs });
  const [customers, agents] = [customersOver(others), agentsOver(others)];
  return startService({
    ...owned,
    config,
    retentionPlaces: () => importPlaces,
    work(parts) {
      const { http, db, logger, outbox } = parts;
      const dateAt = (moment: Date) => localDate(moment, timeZone);
      const deps: Deps = { outbox, now, customers, agents, today: () => localDate(now(), timeZone), dateAt };
      const foreseeing = { ...deps, alerts: alertsOver(others, logger) };
      const importing = { kind: renewalImport(foreseeing), outbox, logger, now, isBusy: http.isBusy };
      const refresher = createRefresher({
        ...deps,
        db,
        logger,
        committed: http.committed,
        batch: config.REFRESH_BATCH,
        isBusy: http.isBusy,
      });

      // Mounted before the routes of one renewal, which would take `refresh` for its id.
      mountRefreshRoutes(http, { ...foreseeing, refresher, logger, answerMs: config.REFRESH_ANSWER_MS });
      mountQueueRoutes(http, foreseeing);
      mountRenewalRoutes(http, deps);
      mountServiceTypeRoutes(http, deps);
      mountFlagRoutes(http, deps);
      mountImports(http, renewalImports, importing);
      mountUpstreamRoutes(http, deps);

      const { queues } = topology;
      /** What comes of a night. */
      const inBulk = { committed: nothingToTell, inTurn: createGivingWay(http.isBusy) };
      return {
        consumers: [
          consume(queues.alertOutcomes, (trx, events) => takeOutcomes(deps, trx, events), inBulk),
          consume(queues.messages, (trx, events) => takeMessages(deps, trx, events), inBulk),
          consume(queues.upstream, (trx, events) => takePublished(deps, trx, events), {
            complete: (event) => completePublished(event, now()),
          }),
          consume(queues.customers, (trx, events) => followCustomers(deps, trx, toldIn(events))),
          consume(queues.agents, followAgents, { committed: nothingToTell }),
          consume(queues.tasks, followTasks, { committed: nothingToTell }),
          consume(queues.alertPlan, followAlertPlan, { committed: nothingToTell }),
          consume(queues.imports, (trx, events) => continueImports(importing, trx, events), {
            gaveUp: (trx, event) => giveUpImport(importing, trx, event),
            inTurn: createGivingWay(http.isBusy, { alone: true }),
          }),
        ],
        jobs: () => [
          ...startRefreshing({ ...parts, ...deps, refresher, cron, timeZone }),
          resumeImports(importing, db, http.committed),
          askForCustomers(deps, db, logger, http.committed),
          followPlan(alertPlansOver(others), db, logger),
          addUpChanges(db, logger),
        ],
      };
    },
  });
}
