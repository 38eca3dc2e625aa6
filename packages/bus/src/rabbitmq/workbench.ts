import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel, ConsumeMessage } from 'amqplib';
import { fromTheBack, suspectAfter } from '../hand-over.ts';

export interface Delivery {
  channel: Channel;
  message: ConsumeMessage;
}

/** Deliveries of one queue waiting in this process, and the one batch of them in work. */
export interface Workbench {
  push(delivery: Delivery): void;
  /** The channel died: what it brought and is not in work will come again. */
  forget(channel: Channel): void;
  /** Drops what waits (the broker delivers it again) and waits for what is in work. */
  close(): Promise<void>;
}

/** `work` never rejects. Batches follow one another, so the order of the queue is kept. */
export function createWorkbench(batch: number, work: (deliveries: Delivery[]) => Promise<void>): Workbench {
  let waiting: Delivery[] = [];
  let closed = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Deliveries come one by one; those that came together are taken together.
    await nextTurn();
    while (waiting.length > 0) await work(take());
    running = undefined;
  }

  /** Returned messages come first and in their old order: either one suspect, or the fresh ones up to the next. */
  function take(): Delivery[] {
    const suspects = waiting.filter(isSuspect);
    const [first] = waiting;
    if (first === undefined || first !== suspects[0]) return waiting.splice(0, Math.min(batch, freshInFront(suspects)));
    const turn = fromTheBack(timesReturned(first)) ? (suspects.at(-1) ?? first) : first;
    waiting = waiting.filter((delivery) => delivery !== turn);
    return [turn];
  }

  const freshInFront = ([suspect]: Delivery[]) => (suspect === undefined ? waiting.length : waiting.indexOf(suspect));

  return {
    push(delivery) {
      if (closed) return;
      waiting.push(delivery);
      running ??= run();
    },
    forget(channel) {
      waiting = waiting.filter((delivery) => delivery.channel !== channel);
    },
    async close() {
      closed = true;
      waiting = [];
      await running;
    },
  };
}

const isSuspect = (delivery: Delivery): boolean => timesReturned(delivery) >= suspectAfter;

const timesReturned = ({ message }: Delivery): number => Number(message.properties.headers?.['x-delivery-count'] ?? 0);
