import { defineTopology } from '@ops/bus/topology';

/** What this service listens to. */
export const topology = defineTopology('notifier', {
  communicationSend: {
    name: 'notifier:communication:send',
    bindings: ['communication.queued'],
    batch: 50,
  },
  receiptMatch: {
    name: 'notifier:receipt:match',
    bindings: ['provider.receipt.received'],
    batch: 100,
  },
});
