import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@ops/contracts/routes';
import { schemaOf } from '@ops/service-kit/provision';
import type { RunningSystem } from '@ops/test-system/running-system';
import { root } from './compose.ts';
import { addressOf } from './containers.ts';

/**
 * Tells where the parts of what `docker compose up` started are met from this machine, as RUNNING_SYSTEM wants it. Nothing
 * of it is published for that.
 */
const secret = (name: string) => readFileSync(join(root, 'secrets', name), 'utf8').trim();
const met = async (url: string, service: string) => url.replace(`@${service}:`, `@${await addressOf(service)}:`);

async function each<Name extends string, T>(names: readonly Name[], of: (name: Name) => Promise<T>) {
  const entries = await Promise.all(names.map(async (name) => [name, await of(name)] as const));
  return Object.fromEntries(entries) as Record<Name, T>;
}

const schemas = serviceNames.map((name) => schemaOf[name]);
const databaseUrls = await each(schemas, (schema) => met(secret(`${schema}_database_url`), 'postgres'));

const running: RunningSystem = {
  gatewayUrl: 'http://localhost:8080',
  simulatorUrl: 'http://127.0.0.1:8082',
  issuer: 'http://127.0.0.1:8081',
  tokenClient: { id: 'ops-token', secret: secret('token_client_secret') },
  serviceUrls: await each(serviceNames, async (name) => `http://${await addressOf(name)}:8080`),
  metricsUrls: await each([...serviceNames, 'gateway'], async (name) => `http://${await addressOf(name)}:9090/metrics`),
  databaseUrls: { ...databaseUrls, gateway: await met(secret('database_url'), 'postgres') },
  amqpUrl: await met(secret('amqp_url'), 'rabbitmq'),
};
console.log(JSON.stringify(running, null, 2));
