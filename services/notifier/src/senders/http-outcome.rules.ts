import type { Failure } from '@ops/contracts/resources/communication';
import { z } from 'zod';
import type { Exchange } from './http-client.ts';
import { retryAfterMs } from './retry-after.rules.ts';
import { notTakenBy, type OutboundProvider, type Outcome, refusedBy } from './sender.ts';

/** What a provider's answer says. */
export interface AnswerReading {
  messageId: string | null;
  failure: Failure | null;
  /** It says itself that it took nothing because there was too much. */
  throttled: boolean;
}

/**
 * Proof of non-acceptance is: no connection, 429, what the provider itself calls too much, and a 503 that came before
 * it can have had the whole body. A 5xx may come from whatever stands before a provider that did take the message.
 */
export function outcomeOf(
  provider: OutboundProvider,
  exchange: Exchange,
  read: (body: string) => AnswerReading,
  now: Date,
): Outcome {
  if (exchange.kind === 'unreached') return { kind: 'not_taken', reason: exchange.reason, message: unreached };
  if (exchange.kind === 'lost') return { kind: 'uncertain', reason: exchange.reason, late: exchange.late };
  const { status, bodyTaken } = exchange;
  const said = read(exchange.body);
  if (status >= 200 && status < 300) return { kind: 'accepted', providerMessageId: said.messageId };
  if (status === 429 || (status < 500 && said.throttled) || (status === 503 && !bodyTaken))
    return notTakenBy(said.failure ?? { message: busy }, `HTTP ${status}`, waitOf(exchange, now));
  if (status >= 300 && status < 500) return refusedBy(said.failure ?? unexplained(provider, status));
  return { kind: 'uncertain', reason: `HTTP ${status}` };
}

const waitOf = ({ headers }: { headers: Record<string, unknown> }, now: Date) =>
  retryAfterMs(typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined, now);

const unreached = 'The provider could not be reached';
const busy = 'The provider takes no more from us at the moment';

const unexplained = (provider: OutboundProvider, status: number): Failure => ({
  code: `${provider}:${status}`,
  message: 'The provider refused it without a reason',
});

/** What a provider names a message by. Anything else is no id: the receipts bring it. */
export const messageId = z.string().regex(/^[\x21-\x7e]{1,250}$/);

/** Undefined for what is no JSON: an answer of a proxy, or one that broke off. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
