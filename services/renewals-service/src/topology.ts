import { defineTopology } from '@ops/bus/topology';

/** It listens to nothing yet. */
export const topology = defineTopology('renewals-service', {});
