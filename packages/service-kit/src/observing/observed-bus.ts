import { UnroutableError } from '@ops/bus/errors';
import type { Bus, Deliver, IncomingMessage, Outcome, OutgoingMessage } from '@ops/bus/port';
import { beginSpan, endSpan, messageId, type Span, SpanKind } from '@ops/bus/spans';
import { Counter, Histogram, type Registry } from 'prom-client';

/** The same bus, which tells how its consumers fare: rate, failures and time of each queue, and how far behind it is. */
export function observed(bus: Bus, registry: Registry): Bus {
  const messages = new Counter({
    name: 'bus_messages_total',
    help: 'Messages that came, by what became of them; one that was given up on is done, as a dead letter',
    labelNames: ['queue', 'outcome'] as const,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'bus_batch_duration_seconds',
    help: 'Time from a batch of messages to its outcomes',
    labelNames: ['queue'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const lag = new Histogram({
    name: 'bus_message_lag_seconds',
    help: 'Time from what an event tells of until its effects were committed',
    labelNames: ['queue'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
    registers: [registry],
  });
  const published = new Counter({
    name: 'bus_published_total',
    help: 'Events that were published and confirmed',
    registers: [registry],
  });

  const watch = (queue: string, deliver: Deliver): Deliver => {
    return async (batch) => {
      const end = duration.startTimer({ queue });
      try {
        const outcomes = await deliver(batch);
        for (const [n, message] of batch.entries()) note(queue, message, outcomes[n] as Outcome);
        return outcomes;
      } catch (error) {
        messages.inc({ queue, outcome: 'not_tried' }, batch.length);
        throw error;
      } finally {
        end();
      }
    };
  };

  function note(queue: string, { event }: IncomingMessage, outcome: Outcome): void {
    messages.inc({ queue, outcome: nameOf(outcome) });
    const happened = Date.parse(String((event as { time?: unknown } | null)?.time));
    if ('done' in outcome && !Number.isNaN(happened)) lag.observe({ queue }, Math.max(0, Date.now() - happened) / 1000);
  }

  return {
    ...bus,
    async publish(messages) {
      const spans = beginPublishing(messages);
      const end = () => spans.forEach((span) => void endSpan(span));
      try {
        await bus.publish(messages);
      } catch (error) {
        // Only replays went nowhere, all other events are out. What failed as a whole is published again, and its
        // spans end then.
        if (error instanceof UnroutableError) end();
        throw error;
      }
      end();
      published.inc(messages.length);
    },
    consume: (queue, deliver) => bus.consume(queue, watch(queue.name, deliver)),
  };
}

/** A span for each event, to be ended when the bus has confirmed it. A replay may be no event, and has none. */
const beginPublishing = (messages: readonly OutgoingMessage[]): Span[] =>
  messages
    .filter(({ queue }) => queue === undefined)
    .map(({ event }) =>
      beginSpan(`publish ${event.type}`, event.traceparent, { kind: SpanKind.PRODUCER, attributes: messageId(event) }),
    );

function nameOf(outcome: Outcome): 'done' | 'retried' | 'put_off' {
  if ('done' in outcome) return 'done';
  return outcome.uncounted ? 'put_off' : 'retried';
}
