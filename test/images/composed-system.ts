import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@ops/contracts/routes';
import { schemaOf } from '@ops/service-kit/provision';
import type { RunningSystem } from '@ops/test-system/running-system';
import { root } from './compose.ts';
import { addressOf, inside } from './containers.ts';

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

/** No process has an account that sees every queue: whoever looks on is given one. */
const password = randomBytes(16).toString('hex');
const asAdministrator = (...command: string[]) => inside('rabbitmq', 'rabbitmqctl', '--quiet', ...command);
await asAdministrator('delete_user', 'onlooker').catch(() => undefined);
await asAdministrator('add_user', 'onlooker', password);
await asAdministrator('set_permissions', 'onlooker', '.*', '.*', '.*');

const databaseUrls = await each(Object.values(schemaOf), (schema) => met(secret(`${schema}_database_url`), 'postgres'));

const running: RunningSystem = {
  gatewayUrl: 'http://localhost:8080',
  simulatorUrl: 'http://127.0.0.1:8082',
  issuer: 'http://127.0.0.1:8081',
  tokenClient: { id: 'ops-token', secret: secret('token_client_secret') },
  serviceUrls: await each(serviceNames, async (name) => `http://${await addressOf(name)}:8080`),
  metricsUrls: await each([...serviceNames, 'gateway'], async (name) => `http://${await addressOf(name)}:9090/metrics`),
  databaseUrls,
  amqpUrl: `amqp://onlooker:${password}@${await addressOf('rabbitmq')}:5672`,
};
console.log(JSON.stringify(running, null, 2));
