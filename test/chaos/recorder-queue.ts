import type { QueueSpec } from '@ops/bus/port';

export const recorderQueue: QueueSpec = {
  name: 'notifier:COMMUNICATION_RECEIVED:recorder',
  bindings: ['COMMUNICATION_RECEIVED'],
  batch: 50,
  prefetch: 100,
  retry: { delaysMs: [200], maxAttempts: 50 },
};
