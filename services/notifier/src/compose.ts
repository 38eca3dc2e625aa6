import { businessDate } from '@ops/service-kit/business-date';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import { commsOver } from './comms.ts';
import type { Config } from './config.ts';
import { consumeQueued } from './deliveries/delivery-consumers.ts';
import { consumeReceipts } from './deliveries/receipt-consumers.ts';
import { createSendingLoop, type SendingLoop } from './deliveries/sending-jobs.ts';
import type { SendingDeps } from './deps.ts';
import { figures } from './figures.ts';
import { createPace } from './pacing/pacing.ts';
import { guardAlerts } from './planning/alert-guard-service.ts';
import { consumeAlerts, consumeRefusals, consumeRenewalChanges } from './planning/planning-consumers.ts';
import { mountPlanningRoutes } from './planning/planning-routes.ts';
import { renewalsOver } from './renewals.ts';
import { notifierPlaces } from './retention-places.ts';
import { configuredSenders } from './senders/configured.ts';
import { mountMessagingTemplateRoutes } from './senders/messaging-template-routes.ts';
import { observed, showLeftAlone } from './senders/observed.ts';
import { mountTaskRoutes } from './tasks/task-routes.ts';
import { topology } from './topology.ts';

const migrations = new URL('../migrations/', import.meta.url);
const now = () => new Date();

export function compose(config: Config): Promise<Running> {
  let sending: { deps: SendingDeps; loop: SendingLoop };
  return startService({
    topology,
    config,
    migrations,
    figures,
    routes(parts) {
      const deps = depsOf(config, parts);
      sending = { deps, loop: loopOf(config, deps, parts) };
      mountPlanningRoutes(parts.http, deps);
      mountTaskRoutes(parts.http, deps);
      mountMessagingTemplateRoutes(parts.http, config.MESSAGING_APP_TEMPLATES);
    },
    consumers: (parts) => [
      consumeQueued(sending.deps, parts, sending.loop.nudge),
      consumeReceipts(sending.deps, parts),
      consumeAlerts(sending.deps, parts, 'messaging'),
      consumeAlerts(sending.deps, parts, 'email'),
      consumeAlerts(sending.deps, parts, 'task'),
      consumeRefusals(sending.deps, parts),
      consumeRenewalChanges(sending.deps, parts),
    ],
    jobs: () => [sending.loop.start()],
    retentionPlaces: () => notifierPlaces,
  });
}

/** Asking, uploading and sending each end well before it. */
const leaseInTimeouts = 8;

function depsOf(config: Config, { outbox, logger, metrics }: ServiceParts): SendingDeps {
  const urls = { 'comms-service': config.COMMS_SERVICE_URL, 'renewals-service': config.RENEWALS_SERVICE_URL };
  const client = createInternalClient({ self: 'notifier', privateKey: config.INTERNAL_PRIVATE_KEY, urls });
  const deps = {
    outbox,
    logger,
    now,
    random: Math.random,
    today: () => businessDate(now(), config.OPS_TIME_ZONE),
    timeZone: config.OPS_TIME_ZONE,
    comms: commsOver(client),
    renewals: renewalsOver(client),
    senders: observed(configuredSenders(config, now), metrics),
    retry: { tries: config.SENDING_TRIES, delaysMs: config.SENDING_RETRY_SECONDS.map((seconds) => seconds * 1000) },
    expiresAfterMs: config.SENDING_HOURS * 3_600_000,
    leaseMs: config.SENDING_TIMEOUT_SECONDS * 1000 * leaseInTimeouts,
  };
  return { ...deps, guard: guardAlerts(deps) };
}

function loopOf(config: Config, deps: SendingDeps, { db, http, metrics }: ServiceParts): SendingLoop {
  const { SENDING_AT_ONCE: atOnce, SENDING_BREAKER_FAILURES: failures } = config;
  const coolDownMs = config.SENDING_BREAKER_SECONDS * 1000;
  const pace = (perSecond: number) => createPace({ perSecond, atOnce, failures, coolDownMs }, now().getTime());
  const paces = {
    MESSAGING_APP: pace(config.SENDING_RATE_MESSAGING_APP),
    EMAIL: pace(config.SENDING_RATE_EMAIL),
    SMS: pace(config.SENDING_RATE_SMS),
  };
  showLeftAlone(metrics, deps.senders, paces);
  return createSendingLoop({ deps, db, paces, committed: http.committed });
}
