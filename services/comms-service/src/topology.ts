import { defineTopology } from '@ops/bus/topology';

/** What this service listens to. */
export const topology = defineTopology('comms-service', {
  renewalTimeline: {
    name: 'comms-service:renewal:timeline',
    bindings: ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED'],
    batch: 50,
  },
});
