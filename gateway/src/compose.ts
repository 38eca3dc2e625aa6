import { connectBus } from '@ops/bus/connect';
import { startChainWatch } from '@ops/service-kit/chain-watch';
import { ConfigError } from '@ops/service-kit/config';
import { startDatabase } from '@ops/service-kit/database-start';
import { listen } from '@ops/service-kit/http-server';
import { createLeave } from '@ops/service-kit/leave';
import type { Running } from '@ops/service-kit/lifecycle';
import { createLogger, type Logger } from '@ops/service-kit/logger';
import { createMetrics, metricsListener } from '@ops/service-kit/metrics';
import { startSealing } from '@ops/service-kit/sealing';
import { believed, serverCertificate, trustAuthority } from '@ops/service-kit/tls';
import { startTracing } from '@ops/service-kit/tracing';
import { openAccessFiles } from './audit/access-files.ts';
import type { GatewayConfig } from './config.ts';
import { createGateway } from './gateway.ts';
import { migrations } from './migrations.ts';

const name = 'gateway';

/** Builds what the gateway is made of and starts it; stopping goes the other way round. */
export async function startGateway(config: GatewayConfig): Promise<Running> {
  trustAuthority(config);
  const certificate = serverCertificate(config);
  const logger = createLogger(name, config.LOG_LEVEL);
  const tracing = await startTracing(name, config, logger, { outermost: true });
  const metrics = createMetrics(name);
  const accessFiles = await openAccessLog(config, logger);
  const db = await startDatabase(config.DATABASE_URL, {
    applicationName: name,
    max: 4,
    prepared: config.PREPARED_STATEMENTS === 'on',
    migrations,
    logger,
  });
  const connecting = connectBus({
    amqpUrl: config.AMQP_URL,
    databaseUrl: config.DATABASE_URL,
    namespace: config.BUS_NAMESPACE,
    service: name,
    logger,
  });
  const bus = await believed('AMQP_URL', connecting);
  const sealing = startSealing(db, logger);
  const chainWatch = startChainWatch(db, metrics.registry, logger);
  const leave = createLeave(config);
  const gateway = createGateway({ config, logger, metrics, bus, db, leave, ...(accessFiles && { accessFiles }) });
  gateway.start();
  const internal = await listen(metricsListener(metrics), { host: config.HOST, port: config.METRICS_PORT });
  const server = await listen(gateway.app, { host: config.HOST, port: config.PORT, certificate, leave });
  return {
    port: server.port,
    metricsPort: internal.port,
    leave: leave.take,
    async stop() {
      await Promise.all([server.close(), gateway.endStreams()]);
      await gateway.close();
      await Promise.all([sealing.stop(), chainWatch.stop()]);
      await bus.close();
      await db.destroy();
      await internal.close();
      await accessFiles?.stop();
      await tracing.stop();
    },
  };
}

async function openAccessLog({ ACCESS_LOG_DIR: dir, ACCESS_LOG_DAYS: days }: GatewayConfig, logger: Logger) {
  if (dir === undefined) return;
  return openAccessFiles({ dir, days, logger }).catch((error: unknown) => {
    throw new ConfigError(`ACCESS_LOG_DIR: ${dir} cannot be written to (${(error as Error).message})`);
  });
}
