import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@ops/contracts/routes';
import { schemaOf } from '@ops/service-kit/provision';
import type { RunningSystem } from '@ops/test-kit/running-system';
import { root } from './dockerfile.ts';

/**
 * Tells where the parts of what `docker compose up` started are met from this machine, as RUNNING_SYSTEM wants it. Nothing
 * of it is published for that: on Linux the containers' own addresses can be reached from where they run.
 */
const project = process.argv[2] ?? 'ops';
const secret = (name: string) => readFileSync(join(root, 'secrets', name), 'utf8').trim();

function addressOf(service: string): string {
  const run = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();
  const label = (name: string, value: string) => ['--filter', `label=com.docker.compose.${name}=${value}`];
  const id = run('ps', '--quiet', ...label('project', project), ...label('service', service));
  const [address] = run('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}', id).split(
    ' ',
  );
  if (!address) throw new Error(`${service} of the project ${project} does not run`);
  return address;
}

const met = (url: string, service: string) => url.replace(`@${service}:`, `@${addressOf(service)}:`);
const perService = <T>(of: (name: (typeof serviceNames)[number]) => [string, T]) =>
  Object.fromEntries(serviceNames.map(of));

const running: RunningSystem = {
  gatewayUrl: 'http://localhost:8080',
  simulatorUrl: 'http://127.0.0.1:8082',
  issuer: 'http://127.0.0.1:8081',
  tokenClient: { id: 'ops-token', secret: secret('token_client_secret') },
  serviceUrls: perService((name) => [name, `http://${addressOf(name)}:8080`]) as RunningSystem['serviceUrls'],
  databaseUrls: {
    ...perService((name) => [schemaOf[name], met(secret(`${schemaOf[name]}_database_url`), 'postgres')]),
    gateway: met(secret('database_url'), 'postgres'),
  } as RunningSystem['databaseUrls'],
  amqpUrl: met(secret('amqp_url'), 'rabbitmq'),
};
console.log(JSON.stringify(running, null, 2));
