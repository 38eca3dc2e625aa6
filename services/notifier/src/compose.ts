import { consume } from '@ops/bus/consumer';
import { localDate } from '@ops/contracts/local-time';
import { toldIn } from '@ops/following/customer-service';
import { createGivingWay } from '@ops/service-kit/giving-way';
import { createInternalClient, type InternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import type { InTurn } from '@ops/service-kit/turns';
import { mountCalendarRoutes } from './calendar/calendar-routes.ts';
import { commsOver } from './comms-client.ts';
import type { Config } from './config.ts';
import type { SendingDeps } from './deps.ts';
import { notifierErasure } from './erasure-places.ts';
import { notifierKinds } from './export-places.ts';
import { figures } from './figures.ts';
import { migrations } from './migrations.ts';
import { createPace } from './pacing/pacing.rules.ts';
import { guardAlerts } from './planning/alert-guard-service.ts';
import { startLookingAtAlerts } from './planning/ends-jobs.ts';
import { followRenewals } from './planning/following-service.ts';
import { learnDeliveries, learnSettled } from './planning/learning-service.ts';
import { finishRuns } from './planning/letter-service.ts';
import { mountPlanningRoutes } from './planning/planning-routes.ts';
import { planAlerts } from './planning/planning-service.ts';
import { renewalsOver } from './renewals-client.ts';
import { notifierPlaces } from './retention-places.ts';
import { configuredSenders } from './senders/configured-senders.ts';
import { mountMessagingTemplateRoutes } from './senders/messaging-template-routes.ts';
import { observed, showLeftAlone } from './senders/observed-senders.ts';
import { followEchoes } from './sending/echo-service.ts';
import { matchReceipts } from './sending/receipt-service.ts';
import { queueSends } from './sending/send-service.ts';
import { createSendingLoop, type SendingLoop } from './sending/sending-jobs.ts';
import { catchUpWithAgents } from './tasks/agent-jobs.ts';
import { mountTaskRoutes } from './tasks/task-routes.ts';
import { askToConfirm, followCustomers, tellMentioned } from './tasks/task-service.ts';
import { topology } from './topology.ts';

const now = () => new Date();

export const compose = (config: Config): Promise<Running> =>
  startService({
    topology,
    config,
    migrations,
    figures,
    erasurePlaces: notifierErasure,
    exportedKinds: notifierKinds,
    retentionPlaces: () => notifierPlaces,
    work(parts) {
      const client = clientOf(config);
      const arePeopleThere = () => parts.http.isBusy() || (!parts.isLeaving() && client.metPeople());
      const deps = depsOf(config, parts, client, createGivingWay(arePeopleThere, { begins: true }));
      const loop = loopOf(config, deps, parts, arePeopleThere);

      mountPlanningRoutes(parts.http, deps);
      mountCalendarRoutes(parts.http, deps);
      mountTaskRoutes(parts.http, deps);
      mountMessagingTemplateRoutes(parts.http, config.MESSAGING_APP_TEMPLATES);

      const { queues } = topology;
      /** What a night brings. */
      const inBulk = { inTurn: deps.inBulk };
      /** What comes of it, which nobody else is asked for and so holds up nothing. */
      const heard = { inTurn: createGivingWay(arePeopleThere) };
      /** What a file brings by day, while nobody else is asked who could say whether people are there. */
      const followed = { inTurn: createGivingWay(() => !parts.isLeaving()) };
      return {
        consumers: [
          consume(queues.communicationSend, (trx, events) => queueSends(deps, trx, events), {
            committed: loop.nudge,
          }),
          consume(queues.receiptMatch, (trx, events) => matchReceipts(deps, trx, events), heard),
          consume(queues.renewalMessaging, (trx, events) => planAlerts(deps, trx, 'messaging', events), inBulk),
          consume(queues.renewalEmail, (trx, events) => planAlerts(deps, trx, 'email', events), inBulk),
          consume(queues.renewalTask, (trx, events) => planAlerts(deps, trx, 'task', events), inBulk),
          consume(queues.refreshLetters, (trx, events) => finishRuns(deps, trx, events)),
          consume(queues.deliveryStandIn, (trx, events) => learnDeliveries(deps, trx, events), heard),
          consume(queues.communicationSettled, (trx, events) => learnSettled(deps, trx, events)),
          consume(queues.communicationEcho, (trx, events) => followEchoes(deps, trx, events)),
          consume(queues.noteMentioned, (trx, events) => tellMentioned(deps, trx, events)),
          consume(queues.renewalConfirm, (trx, events) => askToConfirm(deps, trx, events)),
          consume(queues.renewalFollow, (trx, events) => followRenewals(deps, trx, events), followed),
          consume(queues.customerFollow, (trx, events) => followCustomers(deps, trx, toldIn(events)), followed),
        ],
        jobs: () => [
          loop.start(),
          startLookingAtAlerts(deps, parts.db, parts.http.committed),
          catchUpWithAgents(deps, parts.db, parts.http.committed),
        ],
      };
    },
  });

/** How many time-outs a claim lasts: asking, uploading and sending each end well before it. */
const leaseInTimeouts = 8;

function clientOf({
  COMMS_SERVICE_URL,
  RENEWALS_SERVICE_URL,
  INTERNAL_PRIVATE_KEY: privateKey,
}: Config): InternalClient {
  const urls = { 'comms-service': COMMS_SERVICE_URL, 'renewals-service': RENEWALS_SERVICE_URL };
  return createInternalClient({ self: 'notifier', privateKey, urls });
}

function depsOf(
  config: Config,
  { outbox, logger, metrics }: ServiceParts,
  client: InternalClient,
  inBulk: InTurn,
): SendingDeps {
  const deps = {
    outbox,
    logger,
    inBulk,
    now,
    random: Math.random,
    today: () => localDate(now(), config.OPS_TIME_ZONE),
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

function loopOf(
  config: Config,
  deps: SendingDeps,
  { db, http, metrics }: ServiceParts,
  arePeopleThere: () => boolean,
): SendingLoop {
  const { SENDING_AT_ONCE: atOnce, SENDING_BREAKER_FAILURES: failures } = config;
  const coolDownMs = config.SENDING_BREAKER_SECONDS * 1000;
  const pace = (perSecond: number) => createPace({ perSecond, atOnce, failures, coolDownMs }, now().getTime());
  const paces = {
    MESSAGING_APP: pace(config.SENDING_RATE_MESSAGING_APP),
    EMAIL: pace(config.SENDING_RATE_EMAIL),
    SMS: pace(config.SENDING_RATE_SMS),
  };
  showLeftAlone(metrics, deps.senders, paces);
  return createSendingLoop({ deps, db, paces, committed: http.committed, arePeopleThere });
}
