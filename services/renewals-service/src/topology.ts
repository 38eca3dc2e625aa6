import { defineTopology } from '@ops/bus/topology';

/** The queues this service reads; what each hears, the catalogue of events says. */
export const topology = defineTopology('renewals-service', {
  alertOutcomes: { name: 'renewals-service:alert:outcome', batch: 50 },
  messages: { name: 'renewals-service:communication:link', batch: 100 },
  // One at a time: an event that moves a date holds its renewal, and would hold it as long as all others of its batch.
  upstream: {
    name: 'renewals-service:upstream:watch',
    batch: 1,
    prefetch: 20,
  },
});
