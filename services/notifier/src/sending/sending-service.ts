import { setTimeout as wait } from 'node:timers/promises';
import { currentTrace } from '@ops/bus/trace';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Deps, Guarded, PutOff, SendingDeps } from '../deps.ts';
import type { FileToSend, Outcome, OutgoingMessage, Sender } from '../senders/sender.ts';
import { comparableAddress } from './receipt.rules.ts';
import { type News, sendPutOff } from './send.rules.ts';
import { providerOf, recordAllNews, recordNews } from './send-service.ts';
import type { Claimed } from './send-store.ts';
import * as store from './send-store.ts';
import { cancelled, expired, interrupted, stopped, unsendable } from './try.rules.ts';
import { leaseFrom, markAlone, recordAlone, type Together } from './trying-service.ts';

/** What a turn says about the provider, and whether comms-service could not be asked. */
export type Turn =
  | { provider: 'answered' | 'not_asked' }
  | { provider: 'in_trouble'; retryAfterMs?: number | undefined }
  | { provider: 'not_asked'; commsAway: true };

export type { Claimed };

const notAsked: Turn = { provider: 'not_asked' };

/** So that no stream of what programs write keeps a night's messages from leaving. */
const shareOfSoon = 0.8;

/** Takes up to so many of what is due on a channel. */
export function claimFor(deps: Deps, db: Db, type: OutsideType, limit: number, claim: string): Promise<Claimed[]> {
  const now = deps.now();
  const first = deps.random() < shareOfSoon ? 'soon' : 'later';
  const until = leaseFrom(deps, now);
  return store.claimDue(db, { first, provider: providerOf[type], limit, claim, now, until });
}

/**
 * Asks whether it may still be sent, says in the database that it is being sent, sends it, and records what came of it.
 * A process that dies in between leaves the mark, and the message is never sent again by itself.
 */
export async function sendClaimed(deps: SendingDeps, db: Db, claimed: Claimed, together: Together): Promise<Turn> {
  const sender = deps.senders[claimed.type];
  const ready = sender ? await makeReady(deps, claimed, together) : notConfigured(deps, claimed);
  if ('away' in ready)
    return ready.away === 'guard' ? guardAway(deps, db, claimed) : unanswered(deps, db, claimed, ready);
  if ('notBefore' in ready) return notYet(deps, db, claimed, ready);
  if ('news' in ready) {
    await inTransaction(db, (trx) => settle(deps, trx, claimed, ready));
    return notAsked;
  }
  const startedAt = deps.now();
  const { to, user_id } = ready.message;
  const going = {
    ...claimed,
    expires_at: claimed.expires_at ?? new Date(startedAt.getTime() + deps.expiresAfterMs),
    sent_to: to === null ? null : comparableAddress(to),
  };
  const isMarked = await together.markOnWire(going).catch(() => false);
  if (!(isMarked || (await persistently(deps, () => markAlone(deps, db, going))))) return notAsked;
  const outcome = await trySending(sender as Sender, ready.message, claimed.id);
  noteTry(deps, claimed, outcome);
  const tried = { going, startedAt, outcome, to: to ?? user_id, trace: currentTrace.getStore() };
  if (!(await together.record(tried).catch(() => false))) await persistently(deps, () => recordAlone(deps, db, tried));
  return turnOf(outcome);
}

interface NotYet {
  guarded: Guarded;
  notBefore: PutOff;
}

interface Over {
  news: News;
  /** Given if it was the guard that stopped it. */
  guarded?: Guarded;
}

/** `answer`: comms-service is there, and cannot say of this one. */
interface Away {
  away: 'comms' | 'answer' | 'guard';
}

type Ready = { message: OutgoingMessage } | Over | Away | NotYet;

const notConfigured = ({ now }: Deps, { type }: Claimed): Ready => ({
  news: unsendable(now(), 'not_configured', `No provider for ${type} is configured`),
});

/** comms-service has the last word on whether and where to, the guard on whether it is still of use; events may be hours old. */
async function makeReady(deps: SendingDeps, claimed: Claimed, together: Together): Promise<Ready> {
  const guarded = claimed.message.automated ? await askGuard(together, claimed) : undefined;
  if (guarded === 'away') return { away: 'guard' };
  if (guarded?.stop) return { news: cancelled(deps.now(), guarded.stop), guarded };
  return askComms(deps, claimed, guarded);
}

const askGuard = (together: Together, claimed: Claimed): Promise<Guarded | 'away' | undefined> =>
  together.guarded(claimed).catch((error: unknown) => {
    if (error instanceof InternalCallError) return 'away';
    throw error;
  });

async function askComms(deps: Deps, claimed: Claimed, guarded: Guarded | undefined): Promise<Ready> {
  try {
    const permission = await deps.comms.maySend(claimed.communication_id, claimed.attempt);
    const news = stopped(permission, deps.now());
    if (news) return { news };
    const notBefore = guarded?.notBefore(permission.time_zone);
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
    if (error instanceof InternalCallError) return { away: error.away ? 'comms' : 'answer' };
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

const unansweredMs = 2_000;

/** While comms-service does not say so the message waits untried, since nothing was asked of the provider. */
async function unanswered(deps: Deps, db: Db, claimed: Claimed, { away }: Away): Promise<Turn> {
  await putOff(deps, db, claimed);
  const { communication_id } = claimed;
  if (away === 'answer') deps.logger.info({ communication_id }, 'whether a message may be sent could not be said');
  return away === 'comms' ? { provider: 'not_asked', commsAway: true } : notAsked;
}

const putOff = (deps: Deps, db: Db, claimed: Claimed): Promise<void> =>
  store.putOff(db, claimed, new Date(deps.now().getTime() + unansweredMs * (1 + deps.random())));

/** Otherwise it waits until its claim has run out, and with it all that its customer is told after it. */
export const giveBack = (deps: Deps, db: Db, claimed: Claimed): Promise<void> =>
  persistently(deps, () => putOff(deps, db, claimed));

const guardAwayMs = 10_000;

/** While whom the guard asks is away the message waits untried; messages that nobody guards go on. */
async function guardAway(deps: Deps, db: Db, claimed: Claimed): Promise<Turn> {
  const now = deps.now();
  await store.postpone(db, claimed, now, new Date(now.getTime() + guardAwayMs * (1 + deps.random())));
  return notAsked;
}

/** Puts the message off, untried. Whoever stops it takes the same lock, and tells so either before us or after us. */
async function notYet(deps: Deps, db: Db, claimed: Claimed, { guarded, notBefore }: NotYet): Promise<Turn> {
  await inTransaction(db, async (trx) => {
    await guarded.lock(trx);
    const now = deps.now();
    if (!(await store.postpone(trx, claimed, now, notBefore.at))) return;
    await deps.outbox.add(trx, { type: 'delivery.updated', data: sendPutOff(claimed, notBefore, now) });
    await guarded.tellPutOff(trx, notBefore);
  });
  return notAsked;
}

async function settle(deps: Deps, trx: Trx, claimed: Claimed, { news, guarded }: Over): Promise<void> {
  await guarded?.lock(trx);
  const send = await store.lockClaimed(trx, claimed);
  if (!send) return;
  await recordNews(deps, trx, send, [news]);
  await store.release(trx, [claimed.id]);
  await guarded?.tellStopped(trx);
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

const longestPauseMs = 1_000;

/** What is permitted, and what the provider said, stays so while our database is away: it is worth waiting for, until the lease is over. */
async function persistently<T>({ leaseMs }: Deps, work: () => Promise<T>): Promise<T> {
  let pause = 100;
  for (let waited = 0; waited + pause < leaseMs / 2; waited += pause, pause = Math.min(2 * pause, longestPauseMs)) {
    try {
      return await work();
    } catch {
      await wait(pause);
    }
  }
  return work();
}

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
    const late = await store.lockExpired(trx, now, sweepPortion);
    await recordAllNews(deps, trx, [
      ...lost.map((send) => ({ send, news: [interrupted(now)] })),
      ...late.map((send) => ({ send, news: [expired(now, 'It could not be sent in time')] })),
    ]);
    await store.release(
      trx,
      [...lost, ...late].map(({ id }) => id),
    );
    return { interrupted: lost.length, expired: late.length };
  });
}
