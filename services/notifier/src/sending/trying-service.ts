import type { Trace } from '@ops/bus/trace';
import { answerTogether } from '@ops/service-kit/answering-together';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Attempted, Deps, Guarded, SendingDeps } from '../deps.ts';
import type { Outcome } from '../senders/sender.ts';
import { lockProviderIds, type NamedSend, takeEarlyReceipts } from './receipt-service.ts';
import type { News, Send } from './send.rules.ts';
import { type Heard, recordAllNews } from './send-service.ts';
import type { Again, Going } from './send-store.ts';
import * as store from './send-store.ts';
import { afterTry, cancelled } from './try.rules.ts';

/** What came of a try, and of which. */
export interface Tried {
  going: Going;
  startedAt: Date;
  outcome: Outcome;
  to: string | null;
  trace: Trace | undefined;
}

/**
 * The steps of messages that are in work at the same time: each is taken for all that have come to it, in one statement, call or
 * transaction. Nobody waits for others to come to it, nor for what somebody else holds: false says that it is to be done alone.
 */
export interface Together {
  guarded(message: Attempted): Promise<Guarded | undefined>;
  markOnWire(going: Going): Promise<boolean>;
  record(tried: Tried): Promise<boolean>;
}

/** Few enough that their calls to the provider all begin at once when they are marked. */
const mostAtOnce = 50;

export function workTogether(deps: SendingDeps, db: Db): Together {
  const one = { most: mostAtOnce, atOnce: 1 };
  return {
    guarded: answerTogether((messages) => deps.guard.beforeTry(db, messages), { most: mostAtOnce }),
    markOnWire: answerTogether(async (going: readonly Going[]) => {
      const now = deps.now();
      const marked = await store.markAllOnWire(db, going, now, leaseFrom(deps, now));
      return going.map(({ id }) => fulfilled(marked.has(id)));
    }, one),
    record: answerTogether(async (tried: readonly Tried[]) => {
      const recorded = await inTransaction(db, (trx) => recordTries(deps, trx, tried, store.lockFreeSends));
      return tried.map(({ going }) => fulfilled(recorded.has(going.id)));
    }, one),
  };
}

const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });

/** Until when a worker that took it then is taken to be alive. */
export const leaseFrom = ({ leaseMs }: Deps, at: Date): Date => new Date(at.getTime() + leaseMs);

/** Waits for whoever holds it. */
export async function markAlone(deps: Deps, db: Db, going: Going): Promise<boolean> {
  const now = deps.now();
  return store.markOnWire(db, going, now, leaseFrom(deps, now));
}

/** Waits for whoever holds it. */
export const recordAlone = (deps: Deps, db: Db, tried: Tried): Promise<unknown> =>
  inTransaction(db, (trx) => recordTries(deps, trx, [tried], store.lockSends));

type Lock = typeof store.lockSends;

/** Whoever has news of the same sends holds the provider's ids of them first. Answers whose was recorded. */
async function recordTries(deps: Deps, trx: Trx, tried: readonly Tried[], lock: Lock): Promise<Set<string>> {
  const named = tried.flatMap(namedBy);
  await lockProviderIds(trx, named);
  const sends = new Map(
    (await lock(trx, [...new Set(tried.map(({ going }) => going.id))])).map((one) => [one.id, one]),
  );
  const early = await takeEarlyReceipts(
    trx,
    named.filter(({ id }) => sends.has(id)),
  );
  const now = deps.now();
  const ended = tried.flatMap((one) => endOf(deps, one, sends.get(one.going.id), now));
  await store.insertTries(
    trx,
    ended.map(({ tried }) => tryOf(tried, now)),
  );
  await store.releaseForRetry(trx, ended.flatMap(againOf));
  const heard = ended.flatMap((end) => heardOf(end, early));
  await recordAllNews(deps, trx, heard);
  await store.release(
    trx,
    heard.map(({ send }) => send.id),
  );
  return new Set(sends.keys());
}

function namedBy({ going, outcome }: Tried): NamedSend[] {
  if (outcome.kind !== 'accepted' || outcome.providerMessageId === null) return [];
  return [{ id: going.id, provider: going.provider, provider_message_id: outcome.providerMessageId }];
}

/** Either there is something to tell, or it is tried again. */
interface End {
  tried: Tried;
  send: Send;
  next: { news: News } | { tryAgainAt: Date };
}

const triesOf = ({ going }: Tried): number => going.tries + 1;

function endOf(deps: Deps, tried: Tried, send: Send | undefined, now: Date): End[] {
  if (!send) return [];
  const { going, outcome, to } = tried;
  const attempt = { tries: triesOf(tried), expires_at: going.expires_at, to };
  const next = afterTry(attempt, outcome, now, deps.retry, deps.random());
  if ('tryAgainAt' in next && send.stop) return [{ tried, send, next: { news: cancelled(now, send.stop) } }];
  return [{ tried, send, next }];
}

const againOf = ({ tried: { going }, next }: End): Again[] =>
  'tryAgainAt' in next ? [{ id: going.id, claim: going.claim, next_try_at: next.tryAgainAt }] : [];

const heardOf = ({ tried: { trace }, send, next }: End, early: ReadonlyMap<string, readonly News[]>): Heard[] =>
  'news' in next ? [{ send, news: [next.news, ...(early.get(send.id) ?? [])], trace }] : [];

const tryOf = (tried: Tried, ended_at: Date): store.Try => {
  const { going, startedAt: started_at, outcome } = tried;
  const reason = outcome.kind === 'accepted' ? null : outcome.kind === 'refused' ? outcome.code : outcome.reason;
  return {
    id: uuidv7(),
    send_id: going.id,
    number: triesOf(tried),
    started_at,
    ended_at,
    outcome: outcome.kind,
    reason,
  };
};
