import { setTimeout as wait } from 'node:timers/promises';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { v7 as uuidv7 } from 'uuid';
import type { Deps, Guarded, SendingDeps } from '../deps.ts';
import type { FileToSend, Outcome, OutgoingMessage, Sender } from '../senders/sender.ts';
import { afterTry, cancelled, expired, interrupted, stopped, unsendable } from './attempt.rules.ts';
import { deliveryPutOff, type News } from './delivery.rules.ts';
import { providerOf, recordNews } from './delivery-service.ts';
import type { Claimed, Going } from './delivery-store.ts';
import * as store from './delivery-store.ts';
import { takeEarlyReceipts } from './receipt-service.ts';

/** What a turn says about the provider, and whether comms-service could not be asked. */
export type Turn =
  | { provider: 'answered' | 'not_asked' }
  | { provider: 'in_trouble'; retryAfterMs?: number | undefined }
  | { provider: 'not_asked'; commsAway: true };

export type { Claimed };

const notAsked: Turn = { provider: 'not_asked' };

/** Takes up to so many of what is due on a channel. */
export function claimFor(deps: Deps, db: Db, type: OutsideType, limit: number): Promise<Claimed[]> {
  const now = deps.now();
  return store.claimDue(db, { provider: providerOf[type], limit, claim: uuidv7(), now, until: leaseFrom(deps, now) });
}

/**
 * Asks whether it may still be sent, says in the database that it is being sent, sends it, and records what came of it.
 * A process that dies in between leaves the mark, and the message is never sent again by itself.
 */
export async function sendClaimed(deps: SendingDeps, db: Db, claimed: Claimed): Promise<Turn> {
  const sender = deps.senders[claimed.type];
  const ready = sender ? await makeReady(deps, db, claimed) : notConfigured(deps, claimed);
  if ('away' in ready) return ready.away === 'comms' ? commsAway(deps, db, claimed) : guardAway(deps, db, claimed);
  if ('notBefore' in ready) return notYet(deps, db, claimed, ready);
  if ('news' in ready) {
    await inTransaction(db, (trx) => settle(deps, trx, claimed, ready.news));
    return notAsked;
  }
  const startedAt = deps.now();
  const going = { ...claimed, expires_at: claimed.expires_at ?? new Date(startedAt.getTime() + deps.expiresAfterMs) };
  if (!(await store.markOnWire(db, going, startedAt, leaseFrom(deps, startedAt)))) return notAsked;
  const outcome = await trySending(sender as Sender, ready.message, claimed.id);
  noteTry(deps, claimed, outcome);
  await persistently(deps, () => inTransaction(db, (trx) => recordTry(deps, trx, going, startedAt, outcome)));
  return turnOf(outcome);
}

const leaseFrom = ({ leaseMs }: Deps, at: Date): Date => new Date(at.getTime() + leaseMs);

interface NotYet {
  guarded: Guarded;
  notBefore: Date;
}

type Ready = { message: OutgoingMessage } | { news: News } | { away: 'comms' | 'guard' } | NotYet;

const notConfigured = ({ now }: Deps, { type }: Claimed): Ready => ({
  news: unsendable(now(), 'not_configured', `No provider for ${type} is configured`),
});

/** comms-service has the last word on whether and where to, the guard on whether it is still of use; events may be hours old. */
async function makeReady(deps: SendingDeps, db: Db, claimed: Claimed): Promise<Ready> {
  const guarded = claimed.message.automated ? await askGuard(deps, db, claimed) : undefined;
  if (guarded === 'away') return { away: 'guard' };
  if (guarded?.stop) return { news: cancelled(deps.now(), guarded.stop) };
  return askComms(deps, db, claimed, guarded);
}

const askGuard = (
  { guard }: SendingDeps,
  db: Db,
  { communication_id }: Claimed,
): Promise<Guarded | 'away' | undefined> =>
  guard.beforeTry(db, communication_id).catch((error: unknown) => {
    if (error instanceof InternalCallError) return 'away';
    throw error;
  });

async function askComms(deps: Deps, db: Db, claimed: Claimed, guarded: Guarded | undefined): Promise<Ready> {
  try {
    const permission = await deps.comms.maySend(claimed.communication_id, claimed.attempt);
    const news = stopped(permission, deps.now());
    if (news) return { news };
    const notBefore = await guarded?.notBefore(db, permission.time_zone);
    if (guarded && notBefore) return { guarded, notBefore };
    const { to, user_id, window_open_until } = permission;
    const files = await filesOf(deps, claimed);
    if (!files) return { news: unsendable(deps.now(), 'attachment_missing', 'A file to be sent is no longer there') };
    const { type, communication_id, message } = claimed;
    const { template = null } = message;
    return {
      message: { ...message, type, communication_id, to, user_id, window_open_until, template, attachments: files },
    };
  } catch (error) {
    if (error instanceof InternalCallError) return { away: 'comms' };
    throw error;
  }
}

async function filesOf({ comms }: Deps, { message }: Claimed): Promise<FileToSend[] | undefined> {
  try {
    const files: FileToSend[] = [];
    for (const { id, name, media_type } of message.attachments)
      files.push({ name, media_type, content: await comms.file(id) });
    return files;
  } catch (error) {
    if (error instanceof InternalCallError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

const commsAwayMs = 2_000;

/** Not a try: nothing was asked of the provider. */
async function commsAway(deps: Deps, db: Db, claimed: Claimed): Promise<Turn> {
  await store.putOff(db, claimed, new Date(deps.now().getTime() + commsAwayMs * (1 + deps.random())));
  return { provider: 'not_asked', commsAway: true };
}

const guardAwayMs = 10_000;

/** Not a try either. Only what is guarded waits; other messages go on. */
async function guardAway(deps: Deps, db: Db, claimed: Claimed): Promise<Turn> {
  const now = deps.now();
  await store.postpone(db, claimed, now, new Date(now.getTime() + guardAwayMs * (1 + deps.random())));
  return notAsked;
}

/** Put off is not tried. Whoever stops the message holds the same, and tells so before us, or after us. */
async function notYet(deps: Deps, db: Db, claimed: Claimed, { guarded, notBefore }: NotYet): Promise<Turn> {
  await inTransaction(db, async (trx) => {
    await guarded.hold(trx);
    const now = deps.now();
    if (!(await store.postpone(trx, claimed, now, notBefore))) return;
    await deps.outbox.add(trx, { type: 'delivery.updated', data: deliveryPutOff(claimed, notBefore, now) });
    await guarded.tellPutOff(trx, notBefore);
  });
  return notAsked;
}

async function settle(deps: Deps, trx: Trx, claimed: Claimed, news: News): Promise<void> {
  const delivery = await store.lockClaimed(trx, claimed);
  if (!delivery) return;
  await recordNews(deps, trx, delivery, [news]);
  await store.release(trx, [claimed.id]);
}

/** A sender that throws has a bug, and nobody knows what it sent. */
const trySending = (sender: Sender, message: OutgoingMessage, attemptId: string): Promise<Outcome> =>
  sender
    .send(message, attemptId)
    .catch((error: unknown) => ({ kind: 'uncertain', reason: error instanceof Error ? error.name : 'an error' }));

/** For an audit of what left: every try, by ids alone, neither words nor addresses. */
function noteTry({ logger }: Deps, claimed: Claimed, outcome: Outcome): void {
  const { id: attempt_id, communication_id, customer_id, type: channel, provider, tries, message } = claimed;
  const { automated } = message;
  const facts = { audit: 'send', attempt_id, communication_id, customer_id, channel, provider, automated };
  const told = { ...facts, try: tries + 1, outcome: outcome.kind };
  if (outcome.kind === 'accepted')
    logger.info({ ...told, provider_message_id: outcome.providerMessageId }, 'a message was sent');
  else
    logger.warn(
      { ...told, reason: outcome.kind === 'refused' ? outcome.code : outcome.reason },
      'a message was not sent',
    );
}

/** What the provider said stays true while our database is away: it is worth waiting for, until the lease is over. */
async function persistently<T>({ leaseMs }: Deps, work: () => Promise<T>): Promise<T> {
  let pause = 100;
  for (let waited = 0; waited + pause < leaseMs / 2; waited += pause, pause *= 2) {
    try {
      return await work();
    } catch {
      await wait(pause);
    }
  }
  return work();
}

async function recordTry(deps: Deps, trx: Trx, claimed: Going, startedAt: Date, outcome: Outcome): Promise<void> {
  const early = await takeEarlyReceipts(trx, claimed, outcome);
  const delivery = await store.lockDelivery(trx, claimed.id);
  if (!delivery) return;
  const now = deps.now();
  const attempt = { tries: claimed.tries + 1, expires_at: claimed.expires_at };
  await store.insertTry(trx, tryOf(claimed.id, attempt.tries, startedAt, now, outcome));
  const next = afterTry(attempt, outcome, now, deps.retry, deps.random());
  if ('tryAgainAt' in next && !delivery.stop) {
    await store.releaseForRetry(trx, claimed, next.tryAgainAt);
    return;
  }
  const news = 'news' in next ? next.news : cancelled(now, delivery.stop as Failure);
  await recordNews(deps, trx, delivery, [news, ...early]);
  await store.release(trx, [claimed.id]);
}

const tryOf = (delivery_id: string, number: number, started_at: Date, ended_at: Date, outcome: Outcome): store.Try => ({
  id: uuidv7(),
  delivery_id,
  number,
  started_at,
  ended_at,
  outcome: outcome.kind,
  reason: outcome.kind === 'accepted' ? null : outcome.kind === 'refused' ? outcome.code : outcome.reason,
});

function turnOf(outcome: Outcome): Turn {
  if (outcome.kind === 'not_taken') return { provider: 'in_trouble', retryAfterMs: outcome.retryAfterMs };
  return { provider: outcome.kind === 'uncertain' ? 'in_trouble' : 'answered' };
}

const sweepPortion = 100;

/** What nobody will come back to: left on the wire by a process that is gone, or waiting for too long. */
export async function sweep(deps: Deps, db: Db): Promise<{ interrupted: number; expired: number }> {
  return inTransaction(db, async (trx) => {
    const now = deps.now();
    const lost = await store.lockInterrupted(trx, now, sweepPortion);
    for (const delivery of lost) await recordNews(deps, trx, delivery, [interrupted(now)]);
    const late = await store.lockExpired(trx, now, sweepPortion);
    for (const delivery of late) await recordNews(deps, trx, delivery, [expired(now, 'It could not be sent in time')]);
    await store.release(
      trx,
      [...lost, ...late].map(({ id }) => id),
    );
    return { interrupted: lost.length, expired: late.length };
  });
}
