import { returnedTooOften } from '../hand-over.ts';
import { deadLetterQueueOf } from '../topology.ts';
import { declareDeadLetterQueue } from './names.ts';
import { diedInQueueOf } from './origin.ts';
import { type RunningSubscription, type SubscriptionOptions, subscribe } from './subscription.ts';

type Parts = Pick<SubscriptionOptions, 'link' | 'publisher' | 'names' | 'logger' | 'deliver'>;

export interface IntakeOptions extends Parts {
  service: string;
}

/** What killed its consumers comes back here, whichever queue it was in, and is kept as a dead letter. */
export function readDeadLettersBack({ service, ...parts }: IntakeOptions): RunningSubscription {
  const { names } = parts;
  return subscribe({
    ...parts,
    queue: names.queue(deadLetterQueueOf(service)),
    batch: 20,
    prefetch: 20,
    declare: async (channel) => void (await declareDeadLetterQueue(channel, names, service)),
    believed: diedInQueueOf(names, service),
    gaveUp: ({ fields }) => ({ queue: names.local(fields.routingKey), reason: returnedTooOften }),
  });
}
