import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Running } from '@ops/service-kit/lifecycle';
import { type ServiceParts, startService } from '@ops/service-kit/service';
import { businessDate } from './business-date.ts';
import type { Config } from './config.ts';
import { customersOver } from './customers.ts';
import type { Deps } from './deps.ts';
import { topology } from './topology.ts';

const migrations = new URL('../migrations/', import.meta.url);

/** The clock is given by tests alone. */
export function compose(config: Config, now = () => new Date()): Promise<Running> {
  const { INTERNAL_PRIVATE_KEY: privateKey, COMMS_SERVICE_URL, OPS_TIME_ZONE } = config;
  const urls = { 'comms-service': COMMS_SERVICE_URL };
  const customers = customersOver(createInternalClient({ self: 'renewals-service', privateKey, urls }));
  const depsOf = ({ outbox }: ServiceParts): Deps => ({
    ...{ outbox, now, customers },
    today: () => businessDate(now(), OPS_TIME_ZONE),
  });
  return startService({
    topology,
    config,
    migrations,
    routes(parts) {
      depsOf(parts);
    },
    consumers: () => [],
    jobs: () => [],
  });
}
