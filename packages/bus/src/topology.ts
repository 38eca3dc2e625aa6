import { heardBy } from '@ops/contracts/events';
import type { ServiceName } from '@ops/contracts/routes';
import { z } from 'zod';
import type { QueueSpec } from './port.ts';

/** Minutes of trouble are ridden out; what still fails after that, while no other service is away, is for a person. */
const defaultRetry = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000], maxAttempts: 8 };

const word = '[a-z0-9]+(?:-[a-z0-9]+)*';
const queueName = z
  .string()
  .max(100)
  .regex(new RegExp(`^${word}:${word}:${word}$`), 'must be consumer:subject:purpose');
/** No wildcards: which queue gets what can be read from the topology. */
const eventType = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be an event type');

const queueSpec = z
  .strictObject({
    name: queueName,
    bindings: z.array(eventType).min(1).refine(unique, 'must not repeat'),
    batch: z.int().min(1).max(500).default(20),
    prefetch: z.int().min(1).max(2_000).default(100),
    retry: z
      .strictObject({
        delaysMs: z.array(z.int().min(1).max(86_400_000)).min(1).max(10),
        maxAttempts: z.int().min(1).max(100),
      })
      .default(defaultRetry),
    deliveryLimit: z.int().min(1).max(50).optional(),
  })
  .refine((queue) => queue.prefetch >= queue.batch, { path: ['prefetch'], error: 'must not be less than batch' });

/** Left out, `bindings` are the events that the catalogue has for this queue. */
export type QueueInput = Omit<z.input<typeof queueSpec>, 'bindings'> & { bindings?: readonly string[] };

/** The queues of one service as data, by the name its code uses. */
export interface Topology<Queues extends Record<string, QueueSpec> = Record<string, QueueSpec>> {
  service: ServiceName;
  queues: Queues;
  /** Where the broker puts what killed its consumers again and again; the service's own adapter reads it back. */
  deadLetterQueue: string;
}

type QueuesOf<Given extends Record<string, QueueInput>> = { [Key in keyof Given]: QueueSpec<Given[Key]['name']> };

/** Throws a ZodError that names each bad field. The type keeps each queue's name, and so what it hears. */
export function defineTopology<const Given extends Record<string, QueueInput>>(
  service: ServiceName,
  queues: Given,
): Topology<QueuesOf<Given>> {
  const owned = z
    .record(z.string(), queueSpec)
    .refine((all) => unique(names(all)), 'queue names must not repeat')
    .refine((all) => names(all).every((name) => name.startsWith(`${service}:`)), `queue names must begin ${service}:`)
    .refine((all) => !names(all).includes(deadLetterQueueOf(service)), 'this name is kept for the dead-letter queue');
  return {
    service,
    queues: owned.parse(bound(queues)) as QueuesOf<Given>,
    deadLetterQueue: deadLetterQueueOf(service),
  };
}

const bound = (queues: Record<string, QueueInput>) =>
  Object.fromEntries(Object.entries(queues).map(([key, queue]) => [key, { bindings: heardBy(queue.name), ...queue }]));

export const deadLetterQueueOf = (service: string): string => `${service}:dead-letter:intake`;

const names = (queues: Record<string, { name: string }>) => Object.values(queues).map((queue) => queue.name);

function unique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
