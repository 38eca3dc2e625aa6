import type { Request } from 'express';
import { type Db, execute, firstRow, oneRow, type Trx } from '../database/database.ts';
import { asProblemError, conflict, type ProblemError, unprocessable } from '../errors.ts';
import type { Answer } from './http-answers.ts';

/** Whose key it is and what it was first used for. */
export interface Claim {
  subject: string;
  method: string;
  path: string;
  key: string;
  fingerprint: string;
}

const header = 'Idempotency-Key';

export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.get(header);
  if (key !== undefined && (key.length < 1 || key.length > 255))
    throw unprocessable([{ path: header, message: 'must be 1 to 255 characters' }]);
  return key;
}

/**
 * Runs `work` at most once for a key, in the transaction that holds both its effect and the answer kept for a repeat:
 * a process that dies leaves either both or neither. The key is inserted first, so a concurrent twin waits on the
 * unique index until this transaction ends, and then finds the answer, or the way free if it failed.
 *
 * A refusal the use case decided on (4xx) is an answer too: its savepoint undoes what it did and the refusal is kept.
 * Anything that went wrong on our side rolls all of it back, so the same key may be tried again.
 */
export async function once(
  trx: Trx,
  claim: Claim,
  work: (trx: Trx) => Promise<Answer>,
  refusal: (problem: ProblemError) => Answer,
): Promise<Answer> {
  if (!(await claimKey(trx, claim))) return replay(trx, claim);
  const answer = await settle(trx, work, refusal);
  await trx('idempotency_keys')
    .where(idOf(claim))
    .update({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body });
  return answer;
}

/**
 * The same for what is asked for with others, each with a key or without: an answer is kept once it is there. Rejects when a key was
 * used before, or a twin that it waited for has used it, or `work` refuses any: then each is to be done by itself.
 */
export async function onceEach(
  trx: Trx,
  claims: readonly (Claim | undefined)[],
  work: () => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers = await work();
  const kept = claims.flatMap((claim, n) => (claim && answers[n] ? { ...claim, ...answers[n] } : []));
  if (kept.length > 0 && (await keepAnswers(trx, kept)) < kept.length)
    throw conflict('One of these keys was used before');
  return answers;
}

async function settle(
  trx: Trx,
  work: (trx: Trx) => Promise<Answer>,
  refusal: (problem: ProblemError) => Answer,
): Promise<Answer> {
  try {
    return await trx.transaction(work);
  } catch (error) {
    const problem = asProblemError(error);
    if (problem.status >= 500) throw error;
    return refusal(problem);
  }
}

/** A key is good for 24 hours; an older row counts as none and is taken over in place. */
async function claimKey(trx: Trx, claim: Claim): Promise<boolean> {
  const claimed = await execute(
    trx,
    `INSERT INTO idempotency_keys AS kept (subject, method, path, key, fingerprint)
     VALUES (:subject, :method, :path, :key, :fingerprint)
     ON CONFLICT (subject, method, path, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, status = NULL, headers = NULL, body = NULL, created_at = now()
       WHERE kept.created_at < now() - interval '24 hours'`,
    { ...claim },
  );
  return claimed === 1;
}

/** Tells how many of the keys were free. In one order, so that two who keep the same wait for each other. */
async function keepAnswers(trx: Trx, answered: readonly (Claim & Answer)[]): Promise<number> {
  return execute(
    trx,
    `INSERT INTO idempotency_keys AS kept (subject, method, path, key, fingerprint, status, headers, body)
     SELECT subject, method, path, key, fingerprint, status, headers, body
     FROM jsonb_to_recordset(CAST(:answered AS jsonb)) AS a
       (subject text, method text, path text, key text, fingerprint text, status smallint, headers jsonb, body text)
     ORDER BY subject, method, path, key
     ON CONFLICT (subject, method, path, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
           created_at = now()
       WHERE kept.created_at < now() - interval '24 hours'`,
    { answered: JSON.stringify(answered) },
  );
}

/** What the key was answered before, for work that is begun outside of a transaction; undefined: nothing yet. */
export async function keptAnswer(db: Db, claim: Claim): Promise<Answer | undefined> {
  const kept = await firstRow<Kept>(db, `${KEPT} AND created_at >= now() - interval '24 hours'`, idOf(claim));
  return kept && replayOf(kept, claim);
}

interface Kept extends Answer {
  fingerprint: string;
}

const KEPT = `SELECT fingerprint, status, headers, body FROM idempotency_keys
  WHERE subject = :subject AND method = :method AND path = :path AND key = :key`;

/** The row is there and complete: the insert above waited for it, and holds a lock on it against the purge. */
async function replay(trx: Trx, claim: Claim): Promise<Answer> {
  return replayOf(await oneRow<Kept>(trx, KEPT, idOf(claim)), claim);
}

function replayOf(kept: Kept, claim: Claim): Answer {
  if (kept.fingerprint !== claim.fingerprint)
    throw unprocessable(
      [{ path: header, message: 'was used before with another request' }],
      'idempotency_key_reused',
      'An Idempotency-Key stands for one request; use a new key for a new one',
    );
  return { status: kept.status, headers: { ...kept.headers, 'Idempotency-Replayed': 'true' }, body: kept.body };
}

const idOf = ({ subject, method, path, key }: Claim) => ({ subject, method, path, key });

const purgeBatch = 5_000;

/** Deletes what is past its 24 hours, in portions, so that no request waits for it. */
export async function purgeIdempotencyKeys(db: Db): Promise<void> {
  let deleted: number;
  do {
    deleted = await execute(
      db,
      `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
         LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [purgeBatch],
    );
  } while (deleted === purgeBatch);
}
