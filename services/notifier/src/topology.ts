import { defineTopology } from '@ops/bus/topology';

/** The queues this service reads; what each hears, the catalogue of events says. */
export const topology = defineTopology('notifier', {
  communicationSend: {
    name: 'notifier:communication:send',
    batch: 50,
  },
  communicationEcho: { name: 'notifier:communication:echo', batch: 100 },
  receiptMatch: {
    name: 'notifier:receipt:match',
    batch: 100,
  },
  renewalMessaging: { name: 'notifier:renewal:messaging', batch: 50 },
  renewalEmail: { name: 'notifier:renewal:email', batch: 50 },
  renewalTask: { name: 'notifier:renewal:task', batch: 50 },
  refreshLetters: { name: 'notifier:refresh:letters', batch: 10 },
  deliveryStandIn: { name: 'notifier:delivery:stand-in', batch: 50 },
  communicationSettled: { name: 'notifier:communication:settled', batch: 50 },
  noteMentioned: { name: 'notifier:note:mentioned', batch: 50 },
  renewalConfirm: { name: 'notifier:renewal:confirm', batch: 50 },
  renewalFollow: { name: 'notifier:renewal:follow', batch: 100, prefetch: 200 },
  customerFollow: { name: 'notifier:customer:follow', batch: 100, prefetch: 200 },
});
