import type { Trace } from '@ops/bus/trace';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Delivery, QueuedMessage } from './delivery.rules.ts';

export interface NewDelivery {
  id: string;
  communication_id: string;
  attempt: number;
  customer_id: string;
  type: Delivery['type'];
  provider: string;
  message: QueuedMessage;
  trace: Trace;
  due_at: Date;
  next_try_at: Date;
  /** Null: not before it was tried. */
  expires_at: Date | null;
  created_at: Date;
}

/** A delivery a worker has taken: its message, and the mark that it is this worker's. */
export interface Claimed extends Delivery {
  message: QueuedMessage;
  trace: Trace;
  tries: number;
  expires_at: Date | null;
  claim: string;
}

/** One that is about to be tried. */
export type Going = Claimed & { expires_at: Date };

const COLUMNS = `
  d.id, d.communication_id, d.attempt, d.customer_id, d.type, d.provider, d.status, d.failure, d.provider_message_id,
  d.told, d.stop`;

/** An attempt is one delivery, however often it is queued. */
export async function insertDeliveries(trx: Trx, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map((one) => ({
    ...one,
    message: JSON.stringify(one.message),
    trace: JSON.stringify(one.trace),
  }));
  await trx('deliveries').insert(rows).onConflict(['communication_id', 'attempt']).ignore();
}

/**
 * Takes what is due. One message of a customer on a channel is in work at a time, the earliest first, also while that
 * one waits to be tried again; what is put off to a later hour holds up nothing before then. Rows another worker is
 * taking at this moment are skipped; those it took a moment ago fail the conditions, which are checked again on the row
 * as it is when it is locked.
 */
const CLAIM = `
  WITH due AS (
    SELECT d.id FROM deliveries d
    WHERE d.status = 'QUEUED' AND d.provider = :provider AND d.next_try_at <= :now
      AND d.on_wire_at IS NULL AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
      AND (d.expires_at IS NULL OR d.expires_at > :now)
      AND NOT EXISTS (
        SELECT FROM deliveries o
        WHERE o.status = 'QUEUED' AND o.customer_id = d.customer_id AND o.type = d.type AND o.id <> d.id
          AND (o.claimed_until > :now OR (o.position < d.position AND o.due_at <= :now)))
    ORDER BY d.next_try_at, d.position LIMIT :limit
    FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET claim = :claim, claimed_until = :until FROM due WHERE d.id = due.id
  RETURNING ${COLUMNS}, d.message, d.trace, d.tries, d.expires_at, d.claim`;

export interface ClaimRequest {
  provider: string;
  limit: number;
  claim: string;
  now: Date;
  until: Date;
}

export async function claimDue(db: Db, request: ClaimRequest): Promise<Claimed[]> {
  const { rows } = await db.raw(CLAIM, { ...request });
  return rows;
}

/**
 * Said before the first byte leaves. False when the claim has run out and somebody else has it, or when a receipt told
 * meanwhile that it had been sent: then nothing may leave.
 */
export async function markOnWire(db: Db, { id, claim, expires_at }: Going, now: Date, until: Date): Promise<boolean> {
  const marked = await db('deliveries')
    .where({ id, claim, status: 'QUEUED' })
    .whereNull('on_wire_at')
    .update({ on_wire_at: now, claimed_until: until, expires_at, tries: db.raw('tries + 1') });
  return marked === 1;
}

/** Gives it back untried; its place among the customer's messages is kept. */
export async function putOff(db: Db, { id, claim }: Claimed, next_try_at: Date): Promise<void> {
  await db('deliveries').where({ id, claim }).update({ claim: null, claimed_until: null, next_try_at });
}

/**
 * Gives it back untried as one that is due then: what comes after it does not wait for it, and the time until then is
 * added to what it has left. False when it is no longer this worker's to give back.
 */
export async function postpone(db: Db | Trx, { id, claim }: Claimed, now: Date, at: Date): Promise<boolean> {
  const postponed = await db('deliveries')
    .where({ id, claim, status: 'QUEUED' })
    .update({
      claim: null,
      claimed_until: null,
      next_try_at: at,
      due_at: at,
      expires_at: db.raw('expires_at + (CAST(? AS timestamptz) - CAST(? AS timestamptz))', [at, now]),
    });
  return postponed === 1;
}

const released = { claim: null, claimed_until: null, on_wire_at: null };

/** What is no longer this worker's is left as it is. */
export async function releaseForRetry(trx: Trx, { id, claim }: Claimed, next_try_at: Date): Promise<void> {
  await trx('deliveries')
    .where({ id, claim })
    .update({ ...released, next_try_at });
}

export async function release(trx: Trx, ids: readonly string[]): Promise<void> {
  await trx('deliveries').whereIn('id', ids).update(released);
}

/** A delivery as somebody who wants to stop it finds it. */
export interface Stoppable extends Delivery {
  on_wire: boolean;
}

/** Every attempt of these messages, in the order of ids, in which everybody locks them. */
export async function lockDeliveriesOf(trx: Trx, communicationIds: readonly string[]): Promise<Stoppable[]> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS}, d.on_wire_at IS NOT NULL AS on_wire FROM deliveries d
     WHERE d.communication_id = ANY (CAST(:ids AS uuid[])) ORDER BY d.id FOR UPDATE`,
    { ids: [...communicationIds] },
  );
  return rows;
}

/** It is being sent; should it not be taken, that was the last try. */
export async function stopRetrying(trx: Trx, id: string, reason: Failure): Promise<void> {
  await trx('deliveries')
    .where({ id })
    .update({ stop: JSON.stringify(reason) });
}

/** Two that have news of the same delivery take turns. */
export async function lockDelivery(trx: Trx, id: string): Promise<Delivery | undefined> {
  const { rows } = await trx.raw(`SELECT ${COLUMNS} FROM deliveries d WHERE d.id = :id FOR UPDATE`, { id });
  return rows[0];
}

/** Undefined when it is no longer this worker's, or when a receipt told meanwhile what became of it. */
export async function lockClaimed(trx: Trx, { id, claim }: Claimed): Promise<Delivery | undefined> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM deliveries d WHERE d.id = :id AND d.claim = :claim AND d.status = 'QUEUED' FOR UPDATE`,
    { id, claim },
  );
  return rows[0];
}

/** Left on the wire by a worker that is gone. */
export async function lockInterrupted(trx: Trx, now: Date, limit: number): Promise<Delivery[]> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM deliveries d
     WHERE d.on_wire_at IS NOT NULL AND d.claimed_until <= :now
     ORDER BY d.claimed_until LIMIT :limit FOR UPDATE SKIP LOCKED`,
    { now, limit },
  );
  return rows;
}

/** Waited longer than it makes sense to send it, and nobody is at it. */
export async function lockExpired(trx: Trx, now: Date, limit: number): Promise<Delivery[]> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM deliveries d
     WHERE d.status = 'QUEUED' AND d.expires_at <= :now
       AND d.on_wire_at IS NULL AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
     ORDER BY d.expires_at LIMIT :limit FOR UPDATE SKIP LOCKED`,
    { now, limit },
  );
  return rows;
}

/** The words go when they are not needed any more. */
export async function saveHeard(trx: Trx, delivery: Delivery): Promise<void> {
  const { id, status, failure, provider_message_id, told } = delivery;
  await trx('deliveries')
    .where({ id })
    .update({ status, failure, provider_message_id, told, ...(status !== 'QUEUED' && { message: null }) });
}

export interface Try {
  id: string;
  delivery_id: string;
  number: number;
  started_at: Date;
  ended_at: Date;
  outcome: string;
  reason: string | null;
}

export async function insertTry(trx: Trx, one: Try): Promise<void> {
  await trx('tries').insert(one);
}
