import { liveEventTypes } from '@ops/contracts/events';
import type { BusLogger } from './logger.ts';
import type { Bus } from './port.ts';
import { connectPostgres } from './postgres/adapter.ts';
import { connectRabbitMq } from './rabbitmq/adapter.ts';

export interface ConnectOptions {
  /** Given: RabbitMQ. Left out: the schema `bus` of the database. */
  amqpUrl?: string | undefined;
  databaseUrl: string;
  /** Keeps systems that share a broker apart. */
  namespace?: string | undefined;
  service: string;
  logger: BusLogger;
}

/** Does not wait for the broker; `check` tells whether it is there. */
export async function connectBus({
  amqpUrl,
  databaseUrl,
  namespace = '',
  service,
  logger,
}: ConnectOptions): Promise<Bus> {
  return amqpUrl === undefined
    ? connectPostgres({ url: databaseUrl, namespace, service, logger, tapTypes: liveEventTypes })
    : connectRabbitMq({ url: amqpUrl, namespace, service, logger });
}
