import { expect, test } from '@jest/globals';
import { defineTopology, type QueueInput } from './topology.ts';

const queue: QueueInput = { name: 'notifier:renewal:task', bindings: ['RENEWAL_TRIGGERED'] };
const define = (given: Partial<QueueInput>) => () => defineTopology('notifier', { task: { ...queue, ...given } });

test('a queue needs a name and its bindings; the rest has defaults', () => {
  const { queues, deadLetterQueue } = defineTopology('notifier', { task: queue });
  expect(queues.task).toMatchObject({ ...queue, batch: 20, prefetch: 100, retry: { maxAttempts: 8 } });
  expect(deadLetterQueue).toBe('notifier:dead-letter:intake');
});

test.each<[string, Partial<QueueInput>]>([
  ['a name that is no consumer:subject:purpose', { name: 'renewals' }],
  ['a name of another service', { name: 'comms-service:renewal:task' }],
  ['the name of the dead-letter queue', { name: 'notifier:dead-letter:intake' }],
  ['no binding', { bindings: [] }],
  ['a binding given twice', { bindings: ['RENEWAL_TRIGGERED', 'RENEWAL_TRIGGERED'] }],
  ['a wildcard', { bindings: ['renewal.*'] }],
  ['a prefetch below the batch', { batch: 20, prefetch: 10 }],
  ['no tries', { retry: { delaysMs: [1_000], maxAttempts: 0 } }],
  ['no delay', { retry: { delaysMs: [], maxAttempts: 3 } }],
])('%s is refused', (_, given) => {
  expect(define(given)).toThrow();
});

test('two queues of one name are refused', () => {
  expect(() => defineTopology('notifier', { one: queue, two: queue })).toThrow(/repeat/);
});
