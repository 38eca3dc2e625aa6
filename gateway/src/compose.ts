import { connectBus } from '@ops/bus/connect';
import { listen } from '@ops/service-kit/http-server';
import type { Running } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { createMetrics, metricsListener } from '@ops/service-kit/metrics';
import { startTracing } from '@ops/service-kit/tracing';
import type { GatewayConfig } from './config.ts';
import { createGateway } from './gateway.ts';

const name = 'gateway';

/** Builds what the gateway is made of and starts it; stopping goes the other way round. */
export async function startGateway(config: GatewayConfig): Promise<Running> {
  const logger = createLogger(name, config.LOG_LEVEL);
  const tracing = await startTracing(name, config, logger);
  const metrics = createMetrics(name);
  const bus = await connectBus({
    amqpUrl: config.AMQP_URL,
    databaseUrl: config.BUS_DATABASE_URL ?? '',
    namespace: config.BUS_NAMESPACE,
    service: name,
    logger,
  });
  const gateway = createGateway({ config, logger, metrics, bus });
  gateway.start();
  const internal = await listen(metricsListener(metrics), { host: config.HOST, port: config.METRICS_PORT });
  const server = await listen(gateway.app, { host: config.HOST, port: config.PORT });
  return {
    port: server.port,
    metricsPort: internal.port,
    async stop() {
      await Promise.all([server.close(), gateway.endStreams()]);
      gateway.close();
      await bus.close();
      await internal.close();
      await tracing.stop();
    },
  };
}
