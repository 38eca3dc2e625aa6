import { defineTopology } from '@ops/bus/topology';
import { importQueue } from '@ops/imports/import-queue';

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
  customers: { name: 'renewals-service:customer:follow', batch: 100 },
  agents: { name: 'renewals-service:agent:follow', batch: 100 },
  tasks: { name: 'renewals-service:task:follow', batch: 100 },
  alertPlan: { name: 'renewals-service:alert-plan:follow', batch: 10 },
  imports: { name: 'renewals-service:import:work', ...importQueue },
});
