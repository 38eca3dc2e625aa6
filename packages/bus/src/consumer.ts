import { type Envelope, envelope } from '@ops/contracts/envelope';
import { type EventOf, events, type HeardBy, heardBy, readerOf } from '@ops/contracts/events';
import { isStorable } from '@ops/contracts/text';
import type { Knex } from 'knex';
import { keepDeadLetter } from './dead-letters.ts';
import { BrokenEventError, isAway, reasonOf } from './errors.ts';
import { eventKey, takeFresh } from './inbox.ts';
import type { BusLogger } from './logger.ts';
import type { Bus, Deliver, IncomingMessage, Outcome, QueueSpec, Subscription } from './port.ts';
import { beginSpan, endSpan, messageId, type Span, SpanKind, traceparentWithin } from './spans.ts';
import { currentTrace, traceOf } from './trace.ts';
import { DatabaseLostError, tryInTransaction } from './transaction.ts';

/** Who takes what comes to a queue; `consume` makes one of a queue of the catalogue. */
export interface Consumption {
  queue: QueueSpec;
  /**
   * Gets events this queue has not taken before, in the transaction that records them: what it writes with `trx`
   * happens once. It returns or throws; it never acknowledges. The trace is that of the first event.
   */
  handle(trx: Knex.Transaction, events: Envelope[]): Promise<void>;
  /** Fills in what publishers may leave out of a message; what comes of it must be an envelope. */
  complete?: (event: unknown) => unknown;
  /**
   * Hears of each event that became a dead letter, in the transaction that keeps it, so that nothing waits for
   * the event for ever. While it throws, the letter is not kept, and the queue waits.
   */
  gaveUp?: (trx: Knex.Transaction, event: Envelope) => Promise<void>;
  /** Called when effects were committed, so that a relay can be nudged. */
  committed?: () => void;
  /** When a batch is worked off: while it waits for its turn, more come together for the next; else full ones alone wait. */
  inTurn?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The handler gets what the catalogue says this queue hears, and its data read: it parses nothing itself. */
export function consume<Queue extends string>(
  queue: QueueSpec<Queue>,
  handle: (trx: Knex.Transaction, events: EventOf<HeardBy<Queue>>[]) => Promise<void>,
  also: Pick<Consumption, 'complete' | 'committed' | 'gaveUp' | 'inTurn'> = {},
): Consumption {
  const read = requiring(queue.name);
  return { queue, handle: async (trx, heard) => handle(trx, heard.map(read)), ...also };
}

/**
 * What we cannot read of a service of ours comes again: a version of this one that reads it may be on its way. What a
 * system outside got wrong stays wrong.
 */
function requiring<Queue extends string>(queue: Queue) {
  const read = readerOf(queue);
  const isFromOutside = heardBy(queue).some((type) => events[type].publisher === 'upstream');
  return (event: Envelope): EventOf<HeardBy<Queue>> => {
    const { data, error } = read(event);
    if (!error) return data;
    const reason = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw isFromOutside ? new BrokenEventError(reason) : new Error(reason);
  };
}

export interface ConsumerOptions extends Consumption {
  db: Knex;
  bus: Pick<Bus, 'consume' | 'comeTogether'>;
  logger: BusLogger;
}

/** Consumes the queue with inbox, retries and dead letters; resolves when messages flow. */
export const startConsumer = (options: ConsumerOptions): Promise<Subscription> =>
  options.bus.consume(options.queue, createDeliver({ ...options, comeTogether: options.bus.comeTogether }));

interface Parsed {
  message: IncomingMessage;
  event: Envelope;
}

const done: Outcome = { done: true };

const atOnce: NonNullable<Consumption['inTurn']> = (work) => work();

export function createDeliver(options: Omit<ConsumerOptions, 'bus'> & Partial<Pick<Bus, 'comeTogether'>>): Deliver {
  const { db, queue, handle, committed, complete = (event) => event, inTurn, comeTogether = true } = options;
  const { settleFailed, giveUp } = createSettling(options);

  async function deliver(messages: IncomingMessage[]): Promise<Outcome[]> {
    const outcomes = new Map<IncomingMessage, Outcome>();
    const parsed: Parsed[] = [];
    for (const message of messages) {
      const event = readable({ ...message, event: complete(message.event) });
      if (event === undefined) outcomes.set(message, await giveUp(message));
      else parsed.push({ message, event });
    }
    const waits = comeTogether || messages.length >= (queue.batch ?? 1);
    const worked = await workOff(parsed, waits ? inTurn : undefined);
    for (const [message, outcome] of worked) outcomes.set(message, outcome);
    return messages.map((message) => outcomes.get(message) ?? done);
  }

  /**
   * All in one transaction; when that fails, each in its own, so that one bad message costs the others nothing. That may take
   * long, and is nobody else's matter: a turn ends with the first try.
   */
  async function workOff(
    parsed: Parsed[],
    inTurn: Consumption['inTurn'] = atOnce,
  ): Promise<[IncomingMessage, Outcome][]> {
    if (parsed.length === 0) return [];
    const failure = await inTurn(() => run(parsed));
    if (failure === undefined) return parsed.map(({ message }) => [message, done]);
    const [first, ...others] = parsed as [Parsed, ...Parsed[]];
    if (others.length > 0) return oneByOne(parsed);
    return [await currentTrace.run(traceOf(first.event), () => settleFailed(first, failure.error))];
  }

  async function oneByOne(parsed: Parsed[]): Promise<[IncomingMessage, Outcome][]> {
    const settled: [IncomingMessage, Outcome][] = [];
    for (const one of parsed) settled.push(...(await workOff([one])));
    return settled;
  }

  async function run(parsed: Parsed[]) {
    const begun = parsed.map(({ event }) => begin(event, queue));
    const end = (error?: unknown) => begun.forEach(({ span }) => void endSpan(span, error));
    try {
      const failure = await take(begun.map(({ event }) => event));
      end(failure?.error);
      if (failure === undefined) committed?.();
      return failure;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  const take = (events: Envelope[]) =>
    currentTrace.run(traceOf(events[0] as Envelope), () =>
      tryInTransaction(db, async (trx) => {
        const fresh = await takeFresh(trx, queue.name, events);
        const [first] = fresh;
        if (first !== undefined) await currentTrace.run(traceOf(first), () => handle(trx, fresh));
      }),
    );

  return deliver;
}

/** What becomes of a message that was not taken. */
function createSettling({ db, queue, logger, gaveUp }: Omit<ConsumerOptions, 'bus'>) {
  async function settleFailed({ message, event }: Parsed, error: unknown): Promise<[IncomingMessage, Outcome]> {
    if (isAway(error)) return [message, putOff(message, event, error)];
    const { attempt } = message;
    if (attempt >= queue.retry.maxAttempts || error instanceof BrokenEventError)
      return [message, await keep(message, queue.name, reasonOf(error))];
    const retryAfterMs = delayMs(attempt);
    logger.warn(
      { queue: queue.name, event: event.id, attempt, reason: reasonOf(error), retryAfterMs },
      'a message failed; it comes again',
    );
    return [message, { retryAfterMs }];
  }

  /** However long the other service is away: when it is back, all that needed it is done without anybody's help. */
  function putOff({ waits = 0 }: IncomingMessage, event: Envelope, error: unknown): Outcome {
    const retryAfterMs = delayMs(waits + 1);
    logger.warn(
      { queue: queue.name, event: event.id, waits, reason: reasonOf(error), retryAfterMs },
      'another service is away; the message waits for it',
    );
    return { retryAfterMs, uncounted: true };
  }

  const delayMs = (nth: number): number => {
    const { delaysMs } = queue.retry;
    return delaysMs[Math.min(nth, delaysMs.length) - 1] ?? 0;
  };

  const giveUp = (message: IncomingMessage): Promise<Outcome> =>
    message.gaveUp === undefined
      ? keep(message, queue.name, 'not an event: it does not parse as a CloudEvent')
      : keep(message, message.gaveUp.queue, message.gaveUp.reason);

  /** Only a database that is away keeps a dead letter from being written: then the message stays with the broker. */
  async function keep(message: IncomingMessage, origin: string, reason: string): Promise<Outcome> {
    const failure = await tryInTransaction(db, async (trx) => {
      const letter = await keepDeadLetter(trx, { queue: origin, message, reason });
      if (letter === undefined) return;
      logger.error({ ...letter, reason }, 'a message became a dead letter');
      const event = parse(message.event);
      if (event !== undefined && origin === queue.name && !message.gaveUp?.unbelieved) await gaveUp?.(trx, event);
    });
    if (failure !== undefined) throw new DatabaseLostError(`dead letter not kept: ${reasonOf(failure.error)}`);
    return done;
  }

  return { settleFailed, giveUp };
}

/** Begins the span of this queue's work on the event, and puts what follows from the event within it. */
function begin(event: Envelope, queue: QueueSpec): { event: Envelope; span: Span } {
  const span = beginSpan(`process ${queue.name}`, event.traceparent, {
    kind: SpanKind.CONSUMER,
    attributes: messageId(event),
  });
  const traceparent = traceparentWithin(span, event.traceparent);
  return { span, event: traceparent === undefined ? event : { ...event, traceparent } };
}

/** Undefined for what must not be tried: given up on by the broker, no envelope, or a key the inbox cannot keep. */
function readable({ event, gaveUp }: IncomingMessage): Envelope | undefined {
  return gaveUp === undefined ? parse(event) : undefined;
}

function parse(event: unknown): Envelope | undefined {
  const parsed = envelope.safeParse(event);
  if (!parsed.success || !isStorable(eventKey(parsed.data))) return undefined;
  return parsed.data as Envelope;
}
