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
  renewalMessaging: { name: 'notifier:renewal:messaging', bindings: ['RENEWAL_TRIGGERED'], batch: 50 },
  renewalEmail: { name: 'notifier:renewal:email', bindings: ['RENEWAL_TRIGGERED'], batch: 50 },
  renewalTask: { name: 'notifier:renewal:task', bindings: ['RENEWAL_TRIGGERED'], batch: 50 },
  deliveryStandIn: { name: 'notifier:delivery:stand-in', bindings: ['delivery.updated'], batch: 50 },
  renewalFollow: { name: 'notifier:renewal:follow', bindings: ['renewal.changed'], batch: 100 },
});
