import { brokerChecks } from '@ops/service-kit/doctor/broker';
import { collectorChecks } from '@ops/service-kit/doctor/collector';
import { databaseCheck } from '@ops/service-kit/doctor/database';
import { internalKeysCheck } from '@ops/service-kit/doctor/keys';
import { peerChecks } from '@ops/service-kit/doctor/peers';
import { runDoctor } from '@ops/service-kit/doctor/run-doctor';
import { gatewayConfig } from './config.ts';
import { migrations } from './migrations.ts';
import { pagesCheck } from './pages/pages-check.ts';
import { identityProviderCheck } from './sign-in/identity-provider-check.ts';

await runDoctor({
  process: 'gateway',
  schema: gatewayConfig,
  checks: (config, timeoutMs) => [
    internalKeysCheck('gateway', config),
    pagesCheck(config),
    identityProviderCheck(config, timeoutMs),
    // Listening to the events that Postgres carries takes no rights.
    databaseCheck({ process: 'gateway', url: config.DATABASE_URL, migrations, carriesEvents: false, timeoutMs }),
    ...brokerChecks(config, timeoutMs),
    ...peerChecks('gateway', config, timeoutMs),
    ...collectorChecks(config, timeoutMs),
  ],
});
