import type { Trace } from '@ops/bus/trace';
import type { Failure } from '@ops/contracts/resources/communication';
import { type Db, execute, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { QueuedMessage, Send } from './send.rules.ts';

export interface NewSend {
  id: string;
  communication_id: string;
  attempt: number;
  customer_id: string;
  type: Send['type'];
  provider: string;
  message: QueuedMessage;
  trace: Trace;
  due_at: Date;
  next_try_at: Date;
  /** Null: its hours begin with the first try. */
  expires_at: Date | null;
  created_at: Date;
}

/** A send a worker has taken: its message, and the mark that it is this worker's. */
export interface Claimed extends Send {
  message: QueuedMessage;
  trace: Trace;
  tries: number;
  expires_at: Date | null;
  claim: string;
}

/** One that is about to be tried. */
export type Going = Claimed & { expires_at: Date; sent_to: string | null };

const COLUMNS = `
  s.id, s.communication_id, s.attempt, s.customer_id, s.type, s.provider, s.status, s.failure, s.provider_message_id,
  s.told, s.stop`;

/** An attempt is one send, however often it is queued. */
export async function insertSends(trx: Trx, sends: readonly NewSend[]): Promise<void> {
  const all = sends.map((one) => ({
    ...one,
    message: JSON.stringify(one.message),
    trace: JSON.stringify(one.trace),
  }));
  await trx('sends').insert(all).onConflict(['communication_id', 'attempt']).ignore();
}

/** One that somebody else sent. False: it is known. */
export async function insertSent(trx: Trx, sent: Record<string, unknown>): Promise<boolean> {
  const inserted = await trx('sends').insert(sent).onConflict(['communication_id', 'attempt']).ignore().returning('id');
  return inserted.length > 0;
}

/**
 * Takes what is due. One message of a customer on a channel is in work at a time, the earliest first, also while that
 * one waits to be tried again; what is put off to a later hour holds up nothing before then. Rows another worker is
 * taking at this moment are skipped; those it took a moment ago fail the conditions, which are checked again on the row
 * as it is when it is locked.
 */
const CLAIM = `
  WITH due AS (
    SELECT s.id FROM sends s
    WHERE s.status = 'QUEUED' AND s.provider = :provider AND s.next_try_at <= :now
      AND s.on_wire_at IS NULL AND (s.claimed_until IS NULL OR s.claimed_until <= :now)
      AND (s.expires_at IS NULL OR s.expires_at > :now)
      AND NOT EXISTS (
        SELECT FROM sends o
        WHERE o.status = 'QUEUED' AND o.customer_id = s.customer_id AND o.type = s.type AND o.id <> s.id
          AND (o.claimed_until > :now OR (o.position < s.position AND o.due_at <= :now)))
    ORDER BY s.next_try_at, s.position LIMIT :limit
    FOR UPDATE SKIP LOCKED
  )
  UPDATE sends s SET claim = :claim, claimed_until = :until FROM due WHERE s.id = due.id
  RETURNING ${COLUMNS}, s.message, s.trace, s.tries, s.expires_at, s.claim`;

export interface ClaimRequest {
  provider: string;
  limit: number;
  claim: string;
  now: Date;
  until: Date;
}

export async function claimDue(db: Db, request: ClaimRequest): Promise<Claimed[]> {
  return rows<Claimed>(db, CLAIM, { ...request });
}

/**
 * Said before the first byte leaves. False when the claim has run out and somebody else has it, or when a receipt told
 * meanwhile that it had been sent: then nothing may leave.
 */
export async function markOnWire(
  db: Db,
  { id, claim, expires_at, sent_to }: Going,
  now: Date,
  until: Date,
): Promise<boolean> {
  const marked = await execute(
    db,
    `UPDATE sends SET on_wire_at = :now, claimed_until = :until, expires_at = :expires_at, tries = tries + 1,
       sent_to = :sent_to
     WHERE id = :id AND claim = :claim AND status = 'QUEUED' AND on_wire_at IS NULL`,
    { id, claim, now, until, expires_at, sent_to },
  );
  return marked === 1;
}

/** Gives it back untried; its place among the customer's messages is kept. */
export async function putOff(db: Db, { id, claim }: Claimed, next_try_at: Date): Promise<void> {
  await db('sends').where({ id, claim }).update({ claim: null, claimed_until: null, next_try_at });
}

/**
 * Gives it back untried as one that is due then: what comes after it does not wait for it, and the time until then is
 * added to what it has left. False when it is no longer this worker's to give back.
 */
export async function postpone(db: Db | Trx, { id, claim }: Claimed, now: Date, at: Date): Promise<boolean> {
  const postponed = await execute(
    db,
    `UPDATE sends SET claim = NULL, claimed_until = NULL, next_try_at = :at, due_at = :at,
            expires_at = expires_at + (CAST(:at AS timestamptz) - CAST(:now AS timestamptz))
     WHERE id = :id AND claim = :claim AND status = 'QUEUED'`,
    { id, claim, at, now },
  );
  return postponed === 1;
}

const released = { claim: null, claimed_until: null, on_wire_at: null };

/** What is no longer this worker's is left as it is. */
export async function releaseForRetry(trx: Trx, { id, claim }: Claimed, next_try_at: Date): Promise<void> {
  await trx('sends')
    .where({ id, claim })
    .update({ ...released, next_try_at });
}

export async function release(trx: Trx, ids: readonly string[]): Promise<void> {
  await trx('sends').whereIn('id', ids).update(released);
}

/** What waits to leave keeps the order of whom these ids lead to by now; in the order of ids, as everybody locks them. */
export async function moveSends(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(
    trx,
    `WITH moving AS (
       SELECT s.id FROM sends s
       WHERE s.status = 'QUEUED' AND (s.written_under = ANY (CAST(:ids AS text[]))
                                      OR s.written_under IS NULL AND s.customer_id = ANY (CAST(:ids AS text[])))
       ORDER BY s.id FOR UPDATE
     )
     UPDATE sends s SET written_under = coalesce(s.written_under, s.customer_id),
            customer_id = leads_to(coalesce(s.written_under, s.customer_id))
     FROM moving WHERE s.id = moving.id AND s.customer_id <> leads_to(coalesce(s.written_under, s.customer_id))`,
    { ids },
  );
}

/** A send as somebody who wants to stop it finds it. */
export interface Stoppable extends Send {
  on_wire: boolean;
}

/** Every attempt of these messages, in the order of ids, in which everybody locks them. */
export async function lockSendsOf(trx: Trx, communicationIds: readonly string[]): Promise<Stoppable[]> {
  return rows<Stoppable>(
    trx,
    `SELECT ${COLUMNS}, s.on_wire_at IS NOT NULL AS on_wire FROM sends s
     WHERE s.communication_id = ANY (CAST(:ids AS uuid[])) ORDER BY s.id FOR UPDATE`,
    { ids: communicationIds },
  );
}

/** It is being sent; should it not be taken, that was the last try. */
export async function stopRetrying(trx: Trx, id: string, reason: Failure): Promise<void> {
  await trx('sends')
    .where({ id })
    .update({ stop: JSON.stringify(reason) });
}

/** Two that have news of the same send take turns. */
export async function lockSend(trx: Trx, id: string): Promise<Send | undefined> {
  return firstRow<Send>(trx, `SELECT ${COLUMNS} FROM sends s WHERE s.id = :id FOR UPDATE`, { id });
}

/** Undefined when it is no longer this worker's, or when a receipt told meanwhile what became of it. */
export async function lockClaimed(trx: Trx, { id, claim }: Claimed): Promise<Send | undefined> {
  return firstRow<Send>(
    trx,
    `SELECT ${COLUMNS} FROM sends s WHERE s.id = :id AND s.claim = :claim AND s.status = 'QUEUED' FOR UPDATE`,
    { id, claim },
  );
}

/** Left on the wire by a worker that is gone. */
export async function lockInterrupted(trx: Trx, now: Date, limit: number): Promise<Send[]> {
  return rows<Send>(
    trx,
    `SELECT ${COLUMNS} FROM sends s
     WHERE s.on_wire_at IS NOT NULL AND s.claimed_until <= :now
     ORDER BY s.claimed_until LIMIT :limit FOR UPDATE SKIP LOCKED`,
    { now, limit },
  );
}

/** Waited longer than it makes sense to send it, and nobody is at it. */
export async function lockExpired(trx: Trx, now: Date, limit: number): Promise<Send[]> {
  return rows<Send>(
    trx,
    `SELECT ${COLUMNS} FROM sends s
     WHERE s.status = 'QUEUED' AND s.expires_at <= :now
       AND s.on_wire_at IS NULL AND (s.claimed_until IS NULL OR s.claimed_until <= :now)
     ORDER BY s.expires_at LIMIT :limit FOR UPDATE SKIP LOCKED`,
    { now, limit },
  );
}

/** The words go when they are not needed any more. */
export async function saveHeard(trx: Trx, send: Send): Promise<void> {
  const { id, status, failure, provider_message_id, told } = send;
  await trx('sends')
    .where({ id })
    .update({ status, failure, provider_message_id, told, ...(status !== 'QUEUED' && { message: null }) });
}

export interface Try {
  id: string;
  send_id: string;
  number: number;
  started_at: Date;
  ended_at: Date;
  outcome: string;
  reason: string | null;
}

export async function insertTry(trx: Trx, one: Try): Promise<void> {
  await trx('send_tries').insert(one);
}
