import { defineTopology } from '@ops/bus/topology';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** What this service listens to. */
export const topology = defineTopology('comms-service', {
  renewalTimeline: {
    name: 'comms-service:renewal:timeline',
    bindings: ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED'],
    batch: 50,
    prefetch: 100,
    retry: { delaysMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE], maxAttempts: 8 },
  },
});
