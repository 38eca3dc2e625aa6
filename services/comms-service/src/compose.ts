import type { Running } from '@ops/service-kit/lifecycle';
import { startService } from '@ops/service-kit/service';
import { mountCommunicationRoutes } from './communications/communication-routes.ts';
import type { Config } from './config.ts';
import { mountCustomerRoutes } from './customers/customer-routes.ts';
import { consumeRenewalEvents } from './timeline/timeline-consumers.ts';
import { mountTimelineRoutes } from './timeline/timeline-routes.ts';
import { topology } from './topology.ts';

const migrations = new URL('../migrations/', import.meta.url);

export const compose = (config: Config): Promise<Running> =>
  startService({
    topology,
    config,
    migrations,
    routes({ http, outbox }) {
      const deps = { outbox, now: () => new Date(), phoneRegion: config.DEFAULT_PHONE_REGION };
      mountCustomerRoutes(http, deps);
      mountCommunicationRoutes(http, deps);
      mountTimelineRoutes(http);
    },
    consumers: ({ db, bus, logger }) => [consumeRenewalEvents(db, bus, logger)],
  });
