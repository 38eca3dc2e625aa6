import { consume } from '@ops/bus/consumer';
import { localDate } from '@ops/contracts/local-time';
import { customerImports } from '@ops/contracts/routes/comms';
import { agentsOver } from '@ops/following/agent-client';
import { followAgents } from '@ops/following/agent-service';
import { continueImports, giveUpImport } from '@ops/imports/continue';
import { resumeImports } from '@ops/imports/import-jobs';
import { importPlaces } from '@ops/imports/import-places';
import { mountImports } from '@ops/imports/import-routes';
import { createGivingWay } from '@ops/service-kit/giving-way';
import type { HttpApp } from '@ops/service-kit/http-app';
import { createInternalClient, type InternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { nothingToTell, type ServiceParts, startService } from '@ops/service-kit/service';
import { startFetching } from './attachments/attachment-jobs.ts';
import { mountAttachmentRoutes } from './attachments/attachment-routes.ts';
import { ingestParts } from './attachments/ingest-source.ts';
import { requestMedia } from './attachments/media-client.ts';
import { providerSources } from './attachments/provider-source.ts';
import { createShowing } from './attachments/showing-service.ts';
import { askedOver } from './attention/attention-client.ts';
import { mountAttentionRoutes } from './attention/attention-routes.ts';
import { mountCannedReplyRoutes } from './canned-replies/canned-reply-routes.ts';
import { mountCommunicationRoutes } from './communications/communication-routes.ts';
import { logPlanned } from './communications/planned-service.ts';
import type { Config } from './config.ts';
import { mountCustomerRoutes } from './customers/customer-routes.ts';
import { overtakingOver } from './delivery-status/alert-client.ts';
import { mountDeliveryRoutes } from './delivery-status/delivery-routes.ts';
import { takeDeliveryUpdates } from './delivery-status/delivery-service.ts';
import type { Deps } from './deps.ts';
import { erasersOf, renewalsOver } from './erasure/eraser-client.ts';
import { eraseInTime } from './erasure/erasure-jobs.ts';
import { mountErasureRoutes } from './erasure/erasure-routes.ts';
import { type ErasingDeps, ownPart, type ProposingDeps, takeAway } from './erasure/erasure-service.ts';
import { commsErasure } from './erasure-places.ts';
import { commsKinds } from './export-places.ts';
import { mountExportRoutes } from './exporting/export-routes.ts';
import type { ExportDeps } from './exporting/export-service.ts';
import { figures } from './figures.ts';
import { createSanitiser } from './html/sanitise-client.ts';
import { customerImport } from './imports/import-service.ts';
import { takeIn } from './inbound/inbound-service.ts';
import { mountLegalHoldRoutes } from './legal-hold/legal-hold-routes.ts';
import { mountMergingRoutes } from './merging/merging-routes.ts';
import { migrations } from './migrations.ts';
import { mountOptOutRoutes } from './opt-outs/opt-out-routes.ts';
import { takeEffectInTime } from './proposals/proposal-jobs.ts';
import { mountProposalRoutes } from './proposals/proposal-routes.ts';
import type { Effects } from './proposals/proposal-service.ts';
import { createViews } from './records/view-service.ts';
import { holdersOf } from './retention/holder-client.ts';
import { scheduleRetention } from './retention/retention-jobs.ts';
import { commsPlaces } from './retention/retention-places.ts';
import { mountRetentionRoutes } from './retention/retention-routes.ts';
import { type RetentionDeps, shorten } from './retention/retention-service.ts';
import { writeWordsToCome } from './searching/searching-jobs.ts';
import { mountSearchingRoutes } from './searching/searching-routes.ts';
import { mountTimelineRoutes } from './timeline/timeline-routes.ts';
import { hearOfRenewals } from './timeline/timeline-service.ts';
import { topology } from './topology.ts';
import { mountUnmatchedRoutes } from './unmatched/unmatched-routes.ts';

const now = () => new Date();
const owned = { topology, migrations, figures, erasurePlaces: commsErasure, exportedKinds: commsKinds };

export const compose = (config: Config): Promise<Running> =>
  startService({
    ...owned,
    config,
    retentionPlaces: (outbox) => [...commsPlaces({ outbox, now }), ...importPlaces],
    work(parts) {
      const { http, db, outbox, logger, retention } = parts;
      const others = askOthers(config);
      const deps: Deps = {
        outbox,
        now,
        agents: agentsOver(others),
        phoneRegion: config.DEFAULT_PHONE_REGION,
        automatedSendsAnHour: config.AUTOMATED_SENDS_PER_CUSTOMER_PER_HOUR,
      };
      const today = () => localDate(now(), config.OPS_TIME_ZONE);
      const importing = { kind: customerImport({ ...deps, today }), outbox, logger, now, isBusy: http.isBusy };
      const removing: RetentionDeps = { holders: holdersOf(db, retention, others), logger, now };
      const erasing = erasingOver(parts, deps, others);
      const proposing = { now, secondPerson: config.OPS_SECOND_PERSON };
      const sources = {
        ...providerSources(config, requestMedia),
        ingest: ingestParts(others, config.ATTACHMENT_MAX_BYTES),
      };
      const viewing = { ...deps, noteView: createViews(now) };

      mountCannedReplyRoutes(http, deps);
      mountCustomers(http, deps, { now, others, exporting: parts.exporting, logger });
      mountCommunicationRoutes(http, viewing);
      mountAttentionRoutes(http, { ...deps, today, ...askedOver(askOthers(config, 3_000)) });
      mountDeliveryRoutes(http, { ...deps, overtaking: overtakingOver(others) });
      mountAttachmentRoutes(http, {
        ...viewing,
        showHtml: createShowing(createSanitiser()),
        unsentMaxBytes: config.UNSENT_FILES_MAX_BYTES,
      });
      mountSearchingRoutes(http);
      mountTimelineRoutes(http);
      mountUnmatchedRoutes(http, deps);
      mountImports(http, customerImports, importing);
      mountRemoval(http, { ...removing, ...erasing, proposing });

      const { renewalTimeline, providerMessages, plannedSends, deliveryStatus, agents, imports } = topology.queues;
      /** What a night brings. */
      const inBulk = { inTurn: createGivingWay(http.isBusy) };
      return {
        consumers: [
          consume(renewalTimeline, hearOfRenewals, { committed: nothingToTell, ...inBulk }),
          consume(providerMessages, (trx, events) => takeIn(deps, trx, events)),
          consume(plannedSends, (trx, events) => logPlanned(deps, trx, events), inBulk),
          consume(deliveryStatus, (trx, events) => takeDeliveryUpdates(deps, trx, events), inBulk),
          consume(agents, followAgents, { committed: nothingToTell }),
          consume(imports, (trx, events) => continueImports(importing, trx, events), {
            gaveUp: (trx, event) => giveUpImport(importing, trx, event),
            inTurn: createGivingWay(http.isBusy, { alone: true }),
          }),
        ],
        jobs: () => [
          startFetching(parts, { ...deps, db, sources }),
          resumeImports(importing, db, http.committed),
          writeWordsToCome(db, logger),
          takeEffectInTime(db, effectsOf(erasing), now, logger),
          eraseInTime(erasing, db),
          ...scheduleRetention(db, removing, config),
        ],
      };
    },
  });

const erasingOver = ({ db, erasure, logger }: ServiceParts, deps: Deps, others: InternalClient): ErasingDeps => ({
  ...deps,
  ...renewalsOver(others),
  erasers: erasersOf(ownPart(db, erasure), others),
  logger,
});

const effectsOf = (erasing: ErasingDeps): Effects => ({
  RETENTION: (trx, proposal) => shorten(now, trx, proposal),
  ERASURE: (trx, proposal) => takeAway(erasing, trx, proposal),
});

function mountRemoval(http: HttpApp, deps: RetentionDeps & ProposingDeps): void {
  mountRetentionRoutes(http, deps);
  mountProposalRoutes(http, deps.proposing);
  mountErasureRoutes(http, deps);
}

function mountCustomers(http: HttpApp, deps: Deps, exporting: ExportDeps): void {
  mountCustomerRoutes(http, deps);
  mountExportRoutes(http, exporting);
  mountLegalHoldRoutes(http, deps);
  mountMergingRoutes(http, deps);
  mountOptOutRoutes(http, deps);
}

const askOthers = (config: Config, timeoutMs = 15_000) =>
  createInternalClient({
    self: 'comms-service',
    timeoutMs,
    privateKey: config.INTERNAL_PRIVATE_KEY,
    urls: {
      'renewals-service': config.RENEWALS_SERVICE_URL,
      'webhook-ingest': config.WEBHOOK_INGEST_URL,
      notifier: config.NOTIFIER_URL,
    },
  });
