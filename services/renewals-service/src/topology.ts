import { defineTopology } from '@ops/bus/topology';

/** What this service listens to. */
export const topology = defineTopology('renewals-service', {
  alertOutcomes: { name: 'renewals-service:alert:outcome', bindings: ['alert.planned'], batch: 50 },
  messages: { name: 'renewals-service:communication:link', bindings: ['communication.changed'], batch: 100 },
  // One at a time: an event that moves a date holds its renewal, and would hold it as long as all others of its batch.
  upstream: {
    name: 'renewals-service:upstream:watch',
    bindings: ['policy.issued', 'residence_permit.approved', 'work_permit.issued'],
    batch: 1,
    prefetch: 20,
  },
});
