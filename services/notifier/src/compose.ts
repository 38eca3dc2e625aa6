import type { QueueSpec } from '@ops/bus/port';
import { businessDate } from '@ops/service-kit/business-date';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type Consumption, type ServiceParts, startService } from '@ops/service-kit/service';
import { commsOver } from './comms.ts';
import type { Config } from './config.ts';
import { queueDeliveries } from './deliveries/delivery-service.ts';
import { matchReceipts } from './deliveries/receipt-service.ts';
import { createSendingLoop, type SendingLoop } from './deliveries/sending-jobs.ts';
import type { SendingDeps } from './deps.ts';
import { figures } from './figures.ts';
import { createPace } from './pacing/pacing.ts';
import { guardAlerts } from './planning/alert-guard-service.ts';
import { followRenewals } from './planning/following-service.ts';
import type { Carrier } from './planning/planning.rules.ts';
import { mountPlanningRoutes } from './planning/planning-routes.ts';
import { planAlerts } from './planning/planning-service.ts';
import { replaceRefused } from './planning/stand-in-service.ts';
import { renewalsOver } from './renewals.ts';
import { notifierPlaces } from './retention-places.ts';
import { configuredSenders } from './senders/configured.ts';
import { mountMessagingTemplateRoutes } from './senders/messaging-template-routes.ts';
import { observed, showLeftAlone } from './senders/observed.ts';
import { mountTaskRoutes } from './tasks/task-routes.ts';
import { topology } from './topology.ts';

const migrations = new URL('../migrations/', import.meta.url);
const now = () => new Date();

export const compose = (config: Config): Promise<Running> =>
  startService({
    topology,
    config,
    migrations,
    figures,
    retentionPlaces: () => notifierPlaces,
    work(parts) {
      const deps = depsOf(config, parts);
      const loop = loopOf(config, deps, parts);

      mountPlanningRoutes(parts.http, deps);
      mountTaskRoutes(parts.http, deps);
      mountMessagingTemplateRoutes(parts.http, config.MESSAGING_APP_TEMPLATES);

      const { communicationSend, receiptMatch, deliveryStandIn, renewalFollow, ...alerts } = topology.queues;
      const plan = (queue: QueueSpec, carrier: Carrier): Consumption => ({
        queue,
        handle: (trx, events) => planAlerts(deps, trx, carrier, events),
      });
      return {
        consumers: [
          {
            queue: communicationSend,
            handle: (trx, events) => queueDeliveries(deps, trx, events),
            committed: loop.nudge,
          },
          { queue: receiptMatch, handle: (trx, events) => matchReceipts(deps, trx, events) },
          plan(alerts.renewalMessaging, 'messaging'),
          plan(alerts.renewalEmail, 'email'),
          plan(alerts.renewalTask, 'task'),
          // Of all that becomes of sends, what comms-service refused concerns an alert.
          { queue: deliveryStandIn, handle: (trx, events) => replaceRefused(deps, trx, events) },
          { queue: renewalFollow, handle: (trx, events) => followRenewals(deps, trx, events) },
        ],
        jobs: () => [loop.start()],
      };
    },
  });

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
