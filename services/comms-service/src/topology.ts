import { defineTopology } from '@ops/bus/topology';
import { importQueue } from '@ops/imports/import-queue';

/** The queues this service reads; what each hears, the catalogue of events says. */
export const topology = defineTopology('comms-service', {
  renewalTimeline: {
    name: 'comms-service:renewal:timeline',
    batch: 50,
  },
  providerMessages: {
    name: 'comms-service:provider-message:log',
    batch: 100,
    prefetch: 200,
  },
  plannedSends: { name: 'comms-service:communication:send', batch: 50 },
  deliveryStatus: { name: 'comms-service:delivery:status', batch: 100 },
  agents: { name: 'comms-service:agent:follow', batch: 100 },
  imports: { name: 'comms-service:import:work', ...importQueue },
});
