import { defineTopology } from '@ops/bus/topology';

/** What this service listens to. */
export const topology = defineTopology('comms-service', {
  renewalTimeline: {
    name: 'comms-service:renewal:timeline',
    bindings: ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED'],
    batch: 50,
  },
  providerMessages: {
    name: 'comms-service:provider-message:log',
    bindings: ['provider.message.received'],
    batch: 100,
    prefetch: 200,
  },
  plannedSends: { name: 'comms-service:communication:send', bindings: ['communication.send'], batch: 50 },
  deliveryStatus: { name: 'comms-service:delivery:status', bindings: ['delivery.updated'], batch: 100 },
});
