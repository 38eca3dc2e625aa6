import type { OutgoingMessage } from './port.ts';

/** The broker cannot be worked with now; what was asked may or may not have happened. */
export class BrokerAwayError extends Error {
  override name = 'BrokerAwayError';
}

/** These messages name a queue the broker does not have. Every other message of the same call was published. */
export class UnroutableError extends Error {
  override name = 'UnroutableError';
  readonly messages: readonly OutgoingMessage[];

  constructor(messages: readonly OutgoingMessage[]) {
    super(`no such queue: ${[...new Set(messages.map((message) => message.queue))].join(', ')}`);
    this.messages = messages;
  }
}

/** What the event says cannot be taken, now or later: a handler that throws it need not be given it again. */
export class BrokenEventError extends Error {
  override name = 'BrokenEventError';
}

/** The dead letter was given to its consumer before. */
export class AlreadyReplayedError extends Error {
  override name = 'AlreadyReplayedError';
}

/** What the dead letter said is past the time it is kept. */
export class RedactedError extends Error {
  override name = 'RedactedError';
}

/** An event no broker should be asked to carry. */
export class EventTooLargeError extends Error {
  override name = 'EventTooLargeError';
}

/**
 * Another service is away, which is no message's fault. The error says so itself, by `away: true`: the bus knows no
 * service's errors.
 */
export const isAway = (error: unknown): boolean => error instanceof Error && 'away' in error && error.away === true;

export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error);
