import type { Envelope } from '@ops/contracts/envelope';

/**
 * The one way messages travel between processes. Two adapters keep these promises and pass one conformance suite.
 *
 * - **At least once.** `publish` resolves only when the broker holds a copy for every queue bound to the event's type;
 *   when it rejects, some copies may exist all the same. Publish again with the same id: consumers drop the twin.
 * - **In the order given**, within one `publish` call and from one to the next that waited for it, as long as nothing fails.
 *   Order is promised per subject with one consumer and no failure; a redelivery or a retry comes later than its time.
 * - **Only the wrapper acknowledges.** `deliver` tells what became of each message; a message whose consumer dies
 *   before that comes again, to any consumer of the queue. One that came back more than once comes alone, so that
 *   what kills its consumer takes no other message along; after too many times it comes marked `gaveUp`.
 * - **A retry is somebody's fault or nobody's.** Each message carries two counts of ours: its tries, which end, and how
 *   often it was put off because another service was away, which do not. Both survive whatever a retry survives.
 * - **Reconnects by itself.** Consumers resume and publishing works again after the broker was away; what was
 *   published and not confirmed rejects.
 * - **Closes clean.** `close` takes no new deliveries and waits for those in work.
 */
export interface Bus {
  /** What comes while a batch is worked off is the next one together; otherwise a batch is what was published at once. */
  readonly comeTogether: boolean;
  /**
   * An event type no queue is bound to is legal, and goes nowhere. A message that names its queue must reach it:
   * otherwise an UnroutableError tells which did not, and every other message of the call was published.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Creates the queue with its bindings if need be. Resolves when both exist and messages flow; waits for a broker
   * that is away, so a process that must serve without one does not wait for this.
   */
  consume(queue: QueueSpec, deliver: Deliver): Promise<Subscription>;
  /**
   * Those of these routes that lead nowhere, because their queue was never declared. What is published before a queue
   * exists never reaches it, so an event somebody must take waits for its routes.
   */
  missingRoutes(routes: readonly Route[]): Promise<Route[]>;
  /** Ephemeral: hears what is published from now on, keeps nothing, promises nothing across a lost connection. */
  tap(types: readonly string[], listener: TapListener): Promise<Subscription>;
  /** Rejects with the reason while the broker cannot be worked with. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Events of this type are copied into this queue. */
export interface Route {
  type: string;
  queue: string;
}

export interface OutgoingMessage {
  event: Envelope;
  /** Given: to this queue alone (a replay). Left out: to every queue bound to the event's type. */
  queue?: string | undefined;
  /** Taps alone hear of it, where it names no queue: it concerns nobody else. */
  live?: boolean | undefined;
}

export interface IncomingMessage {
  /** As it came, by whomever it was published: the wrapper makes an envelope of it, or a dead letter. */
  event: unknown;
  /** 1 the first time; our own count of tries, not the broker's. */
  attempt: number;
  /** How often it was put off because another service was away, which is none of its tries. Left out: never. */
  waits?: number | undefined;
  /**
   * Not to be tried again, only to be kept: its consumers died of it too often, or so it looks. `unbelieved`: or whoever
   * sent it may not have been allowed to, so nothing is to follow from what it says.
   */
  gaveUp?: { queue: string; reason: string; unbelieved?: true } | undefined;
}

/**
 * What became of a message. A retry brings it again after the delay with `attempt` + 1; an uncounted one, which is no
 * fault of the message, with the same `attempt` and `waits` + 1.
 */
export type Outcome = { done: true } | { retryAfterMs: number; uncounted?: true };

/**
 * Gets up to `batch` messages, answers one outcome for each, in order. Never rejects for a message's own failure;
 * rejects when nothing could be tried (the database is away): the same messages come again after a pause, uncounted.
 */
export type Deliver = (messages: IncomingMessage[]) => Promise<Outcome[]>;

/** What it throws is logged and goes no further. */
export interface TapListener {
  event(event: Envelope): void;
  /** The connection was lost and is back: what was published in between is gone. */
  reset(): void;
}

export interface Subscription {
  /** Takes no new messages; resolves when those in work are settled. */
  close(): Promise<void>;
}

/** A queue as data; validated by `defineTopology`. */
export interface QueueSpec<Name extends string = string> {
  /** `consumer:subject:purpose`, such as `comms-service:renewal:timeline`. */
  name: Name;
  /** Event types that are copied into it. */
  bindings: readonly string[];
  /** Most messages handed over at once; they share one transaction. */
  batch: number;
  /** Most messages of this queue in work in one process. */
  prefetch: number;
  retry: RetryPolicy;
  /** Returns of one message to this queue before it is given up on; left out, the adapter's. A queue keeps its first one. */
  deliveryLimit?: number | undefined;
}

export interface RetryPolicy {
  /** Waits before the 2nd, 3rd, ... try, and before the 1st, 2nd, ... time it is put off; the last one repeats. */
  delaysMs: readonly number[];
  /** Tries before a message becomes a dead letter. One that waits for another service to come back waits on. */
  maxAttempts: number;
}
