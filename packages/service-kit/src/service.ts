import { connectBus } from '@ops/bus/connect';
import { type Consumption, startConsumer } from '@ops/bus/consumer';
import { createDeadLetters } from '@ops/bus/dead-letters';
import { createOutbox, type Outbox } from '@ops/bus/outbox';
import type { Bus, Subscription } from '@ops/bus/port';
import { createRelay, type Relay } from '@ops/bus/relay';
import type { Topology } from '@ops/bus/topology';
import { eventRoutes, events } from '@ops/contracts/events';
import type { ServiceName } from '@ops/contracts/routes';
import type { Registry } from 'prom-client';
import { startChainWatch } from './auditing/chain-watch.ts';
import { startSealing } from './auditing/sealing.ts';
import { type Db, execute } from './database/database.ts';
import { startDatabase } from './database/database-start.ts';
import { type Figure, registerFigures, sharedFigures } from './database/figures.ts';
import { createErasure, type Erasure, type ErasurePlace, mountErasure } from './erasure/erasure.ts';
import { sharedErasure } from './erasure/shared-erasure.ts';
import { createExporting, type ExportedKind, type Exporting, mountExporting } from './exporting/exporting.ts';
import { sharedKinds } from './exporting/shared-kinds.ts';
import { mountAuditRoutes } from './http/audit-routes.ts';
import { mountDeadLetterRoutes } from './http/dead-letter-routes.ts';
import { createReadiness, unlessLeaving } from './http/health.ts';
import { createHttpApp, type HttpApp } from './http/http-app.ts';
import { listen } from './http/http-server.ts';
import { purgeIdempotencyKeys } from './http/idempotency.ts';
import { createIdentityVerifier } from './identity/identity.ts';
import { createLogger, type Logger } from './observing/logger.ts';
import { createMetrics, type Metrics, metricsListener } from './observing/metrics.ts';
import { observed } from './observing/observed-bus.ts';
import { startTracing } from './observing/tracing.ts';
import type { BaseConfig } from './process/config.ts';
import { every, type Job } from './process/every.ts';
import { createLeave, type Leave } from './process/leave.ts';
import type { Running } from './process/lifecycle.ts';
import { createStopStack, type StopStack } from './process/stop-stack.ts';
import { believed, serverCertificate, trustAuthority } from './process/tls.ts';
import { createRetention, mountRetention, type Retention, type RetentionPlace } from './retention/retention.ts';
import { sharedPlaces } from './retention/retention-places.ts';
import { withinTime } from './within-time.ts';

/** What a service's routes and consumers are made of. */
export interface ServiceParts {
  http: HttpApp;
  /** Once it stops, nothing begun in bulk is put off any more. */
  isLeaving: () => boolean;
  db: Db;
  bus: Bus;
  outbox: Outbox;
  logger: Logger;
  /** The service's own share of a retention run. */
  retention: Retention;
  /** The service's own part of an erasure. */
  erasure: Erasure;
  /** What the service itself holds of a customer. */
  exporting: Exporting;
  /** What is shown on the internal port. */
  metrics: Registry;
}

export interface ServiceOptions {
  /** Whose process it is, and its queues. */
  topology: Topology;
  config: BaseConfig;
  /** What its schema is made by, in this order: its own, and before them those of what it is made of. */
  migrations: readonly URL[];
  /** Mounts the service's routes, and answers what else it does. */
  work?: (parts: ServiceParts) => ServiceWork;
  /** Where content lies in the service's own tables; those of the bus and of the kit are known. */
  retentionPlaces?: (outbox: Outbox) => readonly RetentionPlace[];
  /** Where something of a person lies in the service's own tables; those of the bus and of the kit are known. */
  erasurePlaces?: readonly ErasurePlace[];
  /** What the service holds of a customer; that of the bus and of the kit is known. */
  exportedKinds?: readonly ExportedKind[];
  /** What of its tables an operator watches; those of the bus are known. */
  figures?: readonly Figure[];
}

/** What a service does beside answering. Jobs begin when it listens to its queues. */
export interface ServiceWork {
  /** Unless one says otherwise, the relay is nudged when its effects were committed. */
  consumers?: readonly Consumption[];
  jobs?: () => readonly Job[];
}

/** What a consumer that publishes nothing gives as `committed`. */
export const nothingToTell = (): undefined => undefined;

/**
 * What every service is made of. Parts start from the database outwards and stop the other way round: no new request
 * and those in work finished, then the jobs and consumers, then the relay with all they wrote, then the bus and the
 * database.
 */
export async function startService(options: ServiceOptions): Promise<Running> {
  const logger = createLogger(options.topology.service, options.config.LOG_LEVEL);
  const stack = createStopStack(logger);
  const leave = createLeave(options.config);
  try {
    const ports = await start(options, logger, stack, leave);
    return { ...ports, leave: leave.take, stop: stack.stop };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function start(options: ServiceOptions, logger: Logger, stack: StopStack, leave: Leave) {
  const { config } = options;
  const name = options.topology.service;
  trustAuthority(config);
  const tracing = await startTracing(name, config, logger);
  stack.push('tracing', tracing.stop);
  const metrics = createMetrics(name);
  const db = await startOwnDatabase(options, logger, stack);
  registerFigures(metrics.registry, db, [...sharedFigures, ...(options.figures ?? [])], logger);
  stack.push('sealing', startSealing(db, logger).stop);
  stack.push('chain watch', startChainWatch(db, metrics.registry, logger).stop);
  const bus = observed(await startBus(options, logger, stack), metrics.registry);
  const outbox = createOutbox(name);
  const relay = startRelay(name, db, bus, logger, stack);

  const isLeaving = () => leave.signal.aborted;
  const http = createHttpApp({
    service: name,
    logger,
    db,
    metrics,
    isLeaving,
    verifyIdentity: createIdentityVerifier(config.INTERNAL_PUBLIC_KEYS, name),
    ready: unlessLeaving(
      leave,
      createReadiness({ database: () => execute(db, 'SELECT 1'), bus: () => bus.check() }, logger),
    ),
    afterWrite: relay.nudge,
  });
  const shares = sharesOf(options, db, outbox);
  const parts: ServiceParts = { http, isLeaving, db, bus, outbox, logger, ...shares, metrics: metrics.registry };
  mountDeadLetterRoutes(http, { service: name, deadLetters: createDeadLetters(db, outbox) });
  mountAuditRoutes(http, name);
  mountRetention(http, shares.retention);
  mountErasure(http, shares.erasure);
  mountExporting(http, shares.exporting);
  const { consumers = [], jobs } = options.work?.(parts) ?? {};

  await startConsumers(consumers, parts, stack);
  for (const job of jobs?.() ?? []) stack.push('jobs', job.stop);
  return startServers(http, metrics, config, stack, leave);
}

/** What this service does of what all of them do together. */
function sharesOf(
  { topology, retentionPlaces, erasurePlaces = [], exportedKinds = [] }: ServiceOptions,
  db: Db,
  outbox: Outbox,
) {
  const { service } = topology;
  const own = retentionPlaces?.(outbox) ?? [];
  const queues = Object.values(topology.queues).map((queue) => queue.name);
  return {
    retention: createRetention({ service, db, places: [...sharedPlaces, ...own] }),
    erasure: createErasure({ service, db, places: [...erasurePlaces, ...sharedErasure], queues }),
    exporting: createExporting(db, [...exportedKinds, ...sharedKinds]),
  };
}

const purgeEveryMs = 10 * 60_000;

async function startOwnDatabase(options: ServiceOptions, logger: Logger, stack: StopStack): Promise<Db> {
  const db = await startDatabase(options.config.DATABASE_URL, {
    applicationName: options.topology.service,
    prepared: options.config.PREPARED_STATEMENTS === 'on',
    migrations: options.migrations,
    logger,
  });
  stack.push('database', () => db.destroy());
  const purge = every(purgeEveryMs, () => purgeIdempotencyKeys(db), logger);
  stack.push('purge', purge.stop);
  return db;
}

async function startBus({ topology, config }: ServiceOptions, logger: Logger, stack: StopStack): Promise<Bus> {
  const connecting = connectBus({
    amqpUrl: config.AMQP_URL,
    databaseUrl: config.DATABASE_URL,
    namespace: config.BUS_NAMESPACE,
    service: topology.service,
    logger,
  });
  const bus = await believed('AMQP_URL', connecting);
  stack.push('bus', () => bus.close());
  return bus;
}

const lastRunMs = 2_000;

const routesOf = (service: ServiceName) => eventRoutes.filter(({ type }) => events[type].publisher === service);

function startRelay(service: ServiceName, db: Db, bus: Bus, logger: Logger, stack: StopStack): Relay {
  const relay = createRelay({ db, bus, logger, routes: routesOf(service) });
  stack.push('relay', async () => {
    await relay.stop();
    // What the last requests and consumers wrote goes out now rather than at the next start.
    await withinTime(relay.runOnce(), lastRunMs).finally(relay.stop);
  });
  relay.start();
  return relay;
}

const consumersWithinMs = 5_000;

/**
 * Consumers come before the first request, so that nothing this process publishes misses a queue of its own. But they
 * wait for a broker that is away, and people must not: their changes are kept in the outbox until it is back.
 */
async function startConsumers(
  consumers: readonly Consumption[],
  { db, bus, logger, http }: ServiceParts,
  stack: StopStack,
): Promise<void> {
  const running: Subscription[] = [];
  const starting = consumers.map(async (one) =>
    running.push(await startConsumer({ db, bus, logger, committed: http.committed, ...one })),
  );
  stack.push('consumers', () => Promise.all(running.map((consumer) => consumer.close())));
  await withinTime(Promise.all(starting), consumersWithinMs).catch((error: unknown) =>
    logger.warn({ err: error }, 'serving without consumers; they start when the broker is there'),
  );
}

async function startServers(http: HttpApp, metrics: Metrics, config: BaseConfig, stack: StopStack, leave: Leave) {
  const { HOST: host, PORT, METRICS_PORT } = config;
  const certificate = serverCertificate(config);
  const internal = await listen(metricsListener(metrics), { host, port: METRICS_PORT });
  stack.push('metrics', internal.close);
  const server = await listen(http.listener, { host, port: PORT, certificate, leave });
  stack.push('http', server.close);
  return { port: server.port, metricsPort: internal.port };
}
