import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Outcome } from '../senders/sender.ts';
import type { News } from './send.rules.ts';

/** How long and how often something that was proven not to have been taken is tried. */
export interface RetryPolicy {
  tries: number;
  /** Waits before the 2nd, 3rd, ... try; the last one repeats. */
  delaysMs: readonly number[];
}

export interface Attempt {
  /** This one included. */
  tries: number;
  expires_at: Date;
  /** Where it was to go. */
  to: string | null;
}

/** What an outcome makes of a send: something to tell, or another try. */
export type Next = { news: News } | { tryAgainAt: Date };

export function afterTry(attempt: Attempt, outcome: Outcome, now: Date, policy: RetryPolicy, random: number): Next {
  if (outcome.kind !== 'not_taken') return { news: newsOf(outcome, attempt, now) };
  const tryAgainAt = new Date(now.getTime() + waitMs(attempt.tries, outcome.retryAfterMs, policy, random));
  if (attempt.tries >= policy.tries || tryAgainAt > attempt.expires_at)
    return { news: expired(now, `Not taken in ${attempt.tries} tries${lastTime(outcome)}`, detailOf(outcome)) };
  return { tryAgainAt };
}

/**
 * What the provider asks for, but no less than our own pause: the few tries would be gone in as many seconds. A little
 * more at random, so that what failed together spreads out.
 */
function waitMs(tries: number, retryAfterMs: number | undefined, { delaysMs }: RetryPolicy, random: number): number {
  const own = delaysMs[Math.min(tries, delaysMs.length) - 1] ?? 0;
  return Math.ceil(Math.max(own, retryAfterMs ?? 0) * (1 + random / 4));
}

const news = (status: News['status'], at: Date, failure: News['failure'] = null): News => ({
  status,
  failure,
  provider_message_id: null,
  at,
});

export const expired = (at: Date, message: string, detail?: string): News =>
  news('FAILED', at, { code: 'expired', message, ...(detail && { detail }) });

type NotTaken = Extract<Outcome, { kind: 'not_taken' }>;

const lastTime = ({ message }: NotTaken) => (message ? `. ${message}` : '');
const detailOf = ({ reason, detail }: NotTaken) => detail ?? reason;

/** Its process died, or lost its database, between the first byte and the record of what came of it. */
export const interrupted = (at: Date): News =>
  news('UNCERTAIN', at, { code: 'interrupted', message: 'It broke off while it was being sent' });

/** Providers' codes for a recipient who unsubscribed with them. */
const unsubscribed: ReadonlySet<string> = new Set(['twilio:21610', 'cloud-api:131050']);

const noAnswerInTime = 'The provider gave no answer in time, and may have taken it';

function newsOf(outcome: Exclude<Outcome, { kind: 'not_taken' }>, { to }: Attempt, at: Date): News {
  if (outcome.kind === 'accepted') return { ...news('SENT', at), provider_message_id: outcome.providerMessageId };
  if (outcome.kind === 'refused') {
    const { kind: _, ...failure } = outcome;
    const failed = news('FAILED', at, failure);
    return to !== null && unsubscribed.has(outcome.code) ? { ...failed, unsubscribed: to } : failed;
  }
  return news('UNCERTAIN', at, {
    code: 'uncertain',
    message: outcome.late ? noAnswerInTime : 'The provider may have taken it',
    detail: outcome.reason,
  });
}

/** Why it is not sent, when the customer's record says so; undefined when it may be. */
export function stopped({ may_send, reason }: SendPermission, at: Date): News | undefined {
  if (may_send) return undefined;
  const failure = reason ?? { code: 'not_allowed', message: 'It may not be sent any more' };
  return news(failure.code === 'cancelled' ? 'CANCELLED' : 'FAILED', at, failure);
}

/** Nobody tries to send it, or tries again. */
export const cancelled = (at: Date, reason: Failure): News => news('CANCELLED', at, reason);

export const unsendable = (at: Date, code: string, message: string): News => news('FAILED', at, { code, message });
