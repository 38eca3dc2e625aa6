import { defineTopology } from '@ops/bus/topology';

/** What this service listens to. */
export const topology = defineTopology('renewals-service', {});
