import { defineTopology } from '@ops/bus/topology';

/** This service reads no queue. */
export const topology = defineTopology('webhook-ingest', {});
