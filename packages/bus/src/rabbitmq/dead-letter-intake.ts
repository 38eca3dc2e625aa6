import { deadLetterQueueOf } from '../topology.ts';
import { declareDeadLetterQueue } from './names.ts';
import { type RunningSubscription, type SubscriptionOptions, subscribe } from './subscription.ts';

type Parts = Pick<SubscriptionOptions, 'link' | 'publisher' | 'names' | 'logger' | 'deliver'>;

export interface IntakeOptions extends Parts {
  service: string;
  deliveryLimit: number;
}

/** What killed its consumers comes back here, whichever queue it was in, and is kept as a dead letter. */
export function readDeadLettersBack({ service, deliveryLimit, ...parts }: IntakeOptions): RunningSubscription {
  const { names } = parts;
  const reason = `returned to its queue more than ${deliveryLimit} times: its consumers died or lost their connection`;
  return subscribe({
    ...parts,
    queue: names.queue(deadLetterQueueOf(service)),
    batch: 20,
    prefetch: 20,
    declare: async (channel) => void (await declareDeadLetterQueue(channel, names, service)),
    gaveUp: ({ fields }) => ({ queue: names.local(fields.routingKey), reason }),
  });
}
