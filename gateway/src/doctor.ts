import { brokerChecks } from '@ops/service-kit/doctor/broker';
import { collectorChecks } from '@ops/service-kit/doctor/collector';
import { inSession, serverLine } from '@ops/service-kit/doctor/database';
import type { Check } from '@ops/service-kit/doctor/finding';
import { internalKeysCheck } from '@ops/service-kit/doctor/keys';
import { peerChecks } from '@ops/service-kit/doctor/peers';
import { runDoctor } from '@ops/service-kit/doctor/run-doctor';
import { type GatewayConfig, gatewayConfig } from './config.ts';
import { pagesCheck } from './pages/pages-check.ts';
import { identityProviderCheck } from './sign-in/identity-provider-check.ts';

await runDoctor({
  process: 'gateway',
  schema: gatewayConfig,
  checks: (config, timeoutMs) => [
    internalKeysCheck('gateway', config),
    pagesCheck(config),
    identityProviderCheck(config, timeoutMs),
    ...(config.AMQP_URL ? brokerChecks(config, timeoutMs) : [eventsCheck(config, timeoutMs)]),
    ...peerChecks('gateway', config, timeoutMs),
    ...collectorChecks(config, timeoutMs),
  ],
});

/** Where Postgres carries the events, listening to them needs a session and no rights. */
function eventsCheck({ BUS_DATABASE_URL: url = '' }: GatewayConfig, timeoutMs: number): Check {
  const fix =
    'is Postgres up, and does BUS_DATABASE_URL name it? AMQP_URL would have RabbitMQ carry the events instead';
  const run = () => inSession('events', url, timeoutMs, async (client) => [await serverLine('events', url, client)]);
  return { name: 'events', fix, run };
}
