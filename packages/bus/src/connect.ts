import { liveEventTypes } from '@ops/contracts/events';
import type { BusLogger } from './logger.ts';
import type { Bus } from './port.ts';

export interface ConnectOptions {
  /** Given: RabbitMQ. Left out: the schema `bus` of the database. */
  amqpUrl?: string | undefined;
  databaseUrl: string;
  /** Keeps systems that share a broker apart. */
  namespace?: string | undefined;
  service: string;
  logger: BusLogger;
}

/** Does not wait for the broker; `check` tells whether it is there. Of the two adapters only the one in use is loaded. */
export async function connectBus({
  amqpUrl,
  databaseUrl,
  namespace = '',
  service,
  logger,
}: ConnectOptions): Promise<Bus> {
  if (amqpUrl === undefined) {
    const { connectPostgres } = await import('./postgres/adapter.ts');
    return connectPostgres({ url: databaseUrl, namespace, service, logger, tapTypes: liveEventTypes });
  }
  const { connectRabbitMq } = await import('./rabbitmq/adapter.ts');
  return connectRabbitMq({ url: amqpUrl, namespace, service, logger });
}
