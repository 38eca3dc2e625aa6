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
 * What is due. One message of a customer on a channel is in work at a time, the earliest first, also while that
 * one waits to be tried again; what is put off to a later hour holds up nothing before then. Rows another worker is
 * taking at this moment are skipped; those it took a moment ago fail the conditions, which are checked again on the row
 * as it is when it is locked. What holds one up is asked for in order, and so by `sends_in_order` even where Postgres takes
 * hardly any to wait.
 */
const due = (of: string, limit: string) => `
  SELECT s.id FROM sends s
  WHERE s.status = 'QUEUED' AND s.provider = :provider AND s.next_try_at <= :now
    AND s.on_wire_at IS NULL AND (s.claimed_until IS NULL OR s.claimed_until <= :now)
    AND ${of}
    AND (SELECT o.id FROM sends o
         WHERE o.status = 'QUEUED' AND o.customer_id = s.customer_id AND o.type = s.type AND o.id <> s.id
           AND (o.claimed_until > :now OR (o.position < s.position AND o.due_at <= :now))
         ORDER BY o.position LIMIT 1) IS NULL
  ORDER BY s.next_try_at, s.position LIMIT ${limit}
  FOR UPDATE SKIP LOCKED`;

/** What a night brings has no hours before its first try; all else is somebody's who may wait for it. */
const soon = '(s.expires_at > :now OR (s.expires_at IS NULL AND s.attempt > 1))';
const later = '(s.expires_at IS NULL AND s.attempt = 1)';

const claim = (one: string, other: string) => `
  WITH first AS (${due(one, ':limit')}),
    second AS (${due(other, 'CAST(:limit AS int) - (SELECT count(*) FROM first)')}),
    taken AS (SELECT id FROM first UNION ALL SELECT id FROM second)
  UPDATE sends s SET claim = :claim, claimed_until = :until FROM taken WHERE s.id = taken.id
  RETURNING ${COLUMNS}, s.message, s.trace, s.tries, s.expires_at, s.claim`;

const CLAIM = { soon: claim(soon, later), later: claim(later, soon) };

export interface ClaimRequest {
  /** Which go before the others. */
  first: keyof typeof CLAIM;
  provider: string;
  limit: number;
  claim: string;
  now: Date;
  until: Date;
}

export async function claimDue(db: Db, { first, ...request }: ClaimRequest): Promise<Claimed[]> {
  return rows<Claimed>(db, CLAIM[first], request);
}

/**
 * Said before the first byte leaves. False when the claim has run out and somebody else has it, or when a receipt told
 * meanwhile that it had been sent: then nothing may leave. Whoever did not hear the answer says it again: nobody else has the claim.
 */
export async function markOnWire(
  db: Db,
  { id, claim, expires_at, sent_to, tries }: Going,
  now: Date,
  until: Date,
): Promise<boolean> {
  const marked = await execute(
    db,
    `UPDATE sends SET on_wire_at = :now, claimed_until = :until, expires_at = :expires_at, tries = :tries, sent_to = :sent_to
     WHERE id = :id AND claim = :claim AND status = 'QUEUED'`,
    { id, claim, now, until, expires_at, sent_to, tries: tries + 1 },
  );
  return marked === 1;
}

const released = { claim: null, claimed_until: null, on_wire_at: null };

/** Gives it back untried, unless it is on the wire; its place among the customer's messages is kept. */
export async function putOff(db: Db, { id, claim }: Claimed, next_try_at: Date): Promise<void> {
  await db('sends')
    .where({ id, claim, on_wire_at: null })
    .update({ ...released, next_try_at });
}

/** Gives back what these took, of which nothing is in work: nobody heard of it. */
export async function giveBackAll(db: Db, claims: readonly string[]): Promise<void> {
  await db('sends').whereIn('claim', claims).where({ status: 'QUEUED', on_wire_at: null }).update(released);
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

/**
 * The same of several in one statement: answers whose it said it of. What somebody else holds at this moment is passed over rather than
 * waited for. Row by row by its id, where a join may read all that wait.
 */
export async function markAllOnWire(db: Db, going: readonly Going[], now: Date, until: Date): Promise<Set<string>> {
  const told = going.map(({ id, claim, expires_at, sent_to }) => ({ id, claim, expires_at, sent_to }));
  const marked = await rows<{ id: string }>(
    db,
    `WITH going AS (
       SELECT s.id, g.expires_at, g.sent_to
       FROM jsonb_to_recordset(CAST(:going AS jsonb)) AS g (id uuid, claim uuid, expires_at timestamptz, sent_to text)
       CROSS JOIN LATERAL (SELECT f.* FROM sends f WHERE f.id = g.id OFFSET 0 FOR UPDATE SKIP LOCKED) s
       WHERE s.claim = g.claim AND s.status = 'QUEUED' AND s.on_wire_at IS NULL
     )
     UPDATE sends s SET on_wire_at = :now, claimed_until = :until, expires_at = going.expires_at, tries = tries + 1,
       sent_to = going.sent_to
     FROM going WHERE s.id = going.id RETURNING s.id`,
    { going: JSON.stringify(told), now, until },
  );
  return new Set(marked.map(({ id }) => id));
}

/** What is to be tried again, and when. */
export type Again = Pick<Claimed, 'id' | 'claim'> & { next_try_at: Date };

/** What is no longer this worker's is left as it is. */
export async function releaseForRetry(trx: Trx, again: readonly Again[]): Promise<void> {
  if (again.length === 0) return;
  await execute(
    trx,
    `UPDATE sends s SET claim = NULL, claimed_until = NULL, on_wire_at = NULL, next_try_at = a.next_try_at
     FROM jsonb_to_recordset(CAST(:again AS jsonb)) AS a (id uuid, claim uuid, next_try_at timestamptz)
     WHERE s.id = a.id AND s.claim = a.claim`,
    { again: JSON.stringify(again) },
  );
}

export async function release(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx('sends').whereIn('id', ids).update(released);
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

/** Two that have news of the same sends take turns, whatever order they name them in. */
export async function lockSends(trx: Trx, ids: readonly string[]): Promise<Send[]> {
  return rows<Send>(
    trx,
    `SELECT ${COLUMNS} FROM sends s WHERE s.id = ANY (CAST(:ids AS uuid[])) ORDER BY s.id FOR UPDATE`,
    { ids },
  );
}

/** The same of those that nobody else holds at this moment. */
export async function lockFreeSends(trx: Trx, ids: readonly string[]): Promise<Send[]> {
  return rows<Send>(
    trx,
    `SELECT ${COLUMNS} FROM sends s WHERE s.id = ANY (CAST(:ids AS uuid[])) ORDER BY s.id FOR UPDATE SKIP LOCKED`,
    { ids },
  );
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
export async function saveHeard(trx: Trx, sends: readonly Send[]): Promise<void> {
  if (sends.length === 0) return;
  const heard = sends.map(({ id, status, failure, provider_message_id, told }) => ({
    id,
    status,
    failure,
    provider_message_id,
    told,
  }));
  await execute(
    trx,
    `UPDATE sends s SET status = h.status, failure = h.failure, provider_message_id = h.provider_message_id, told = h.told,
            message = CASE WHEN h.status = 'QUEUED' THEN s.message END
     FROM jsonb_to_recordset(CAST(:heard AS jsonb))
       AS h (id uuid, status text, failure jsonb, provider_message_id text, told text[])
     WHERE s.id = h.id`,
    { heard: JSON.stringify(heard) },
  );
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

export async function insertTries(trx: Trx, tries: readonly Try[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO send_tries (id, send_id, number, started_at, ended_at, outcome, reason)
     SELECT id, send_id, number, started_at, ended_at, outcome, reason
     FROM jsonb_to_recordset(CAST(:tries AS jsonb))
       AS t (id uuid, send_id uuid, number integer, started_at timestamptz, ended_at timestamptz, outcome text, reason text)`,
    { tries: JSON.stringify(tries) },
  );
}
