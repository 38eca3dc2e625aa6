import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';
import { execute, firstRow, rows } from './sql.ts';

export interface WaitingEvent {
  /** A bigint, as pg gives it. */
  id: string;
  event: Envelope;
  queue: string | null;
}

/** Which of them. */
export interface Lot {
  types: readonly string[];
  /** A replay has its queue and goes whatever its type. */
  replays: boolean;
}

/**
 * Finds work by state, never by a remembered position: ids are drawn before the commit, so a row may appear
 * below one already published. The partial index holds waiting rows alone. A type that is not to go out yet holds up no
 * other.
 */
export async function readWaiting(db: Knex, limit: number, { types, replays }: Lot): Promise<WaitingEvent[]> {
  return rows<WaitingEvent>(
    db,
    `SELECT id, event, queue
       FROM outbox
      WHERE published_at IS NULL AND ((queue IS NULL AND type = ANY(?::text[])) OR (queue IS NOT NULL AND ?::boolean))
      ORDER BY id
      LIMIT ?`,
    [types, replays, limit],
  );
}

export async function markPublished(db: Knex, ids: readonly string[]): Promise<void> {
  await execute(db, 'UPDATE outbox SET published_at = now() WHERE id = ANY(?::bigint[])', [ids]);
}

/**
 * A replay whose queue is gone must not hold up the rows behind it: it is put aside with the reason, and the dead
 * letter it came from waits again (unless its like has come to wait there in the meantime).
 */
export async function putAside(db: Knex, ids: readonly string[], reason: string): Promise<void> {
  await execute(
    db,
    `WITH aside AS (
       UPDATE outbox SET published_at = now(), error = ? WHERE id = ANY(?::bigint[]) RETURNING event_id, queue
     )
     UPDATE dead_letters AS dead
        SET replayed_at = NULL
       FROM (
         SELECT DISTINCT ON (letter.queue, letter.event_id) letter.id
           FROM dead_letters AS letter
           JOIN aside ON aside.queue = letter.queue AND aside.event_id = letter.event_id
          WHERE NOT EXISTS (
            SELECT FROM dead_letters AS other
             WHERE other.queue = letter.queue AND other.event_id = letter.event_id AND other.replayed_at IS NULL
          )
          ORDER BY letter.queue, letter.event_id, letter.id DESC
       ) AS latest
      WHERE dead.id = latest.id`,
    [reason, ids],
  );
}

/**
 * One relay of a schema is at work, the others stand by. Taking and keeping the lease is one plain statement that
 * needs no session, so it holds behind a transaction-mode pooler. Should a holder sleep past its time, two relays
 * publish the same rows: consumers drop the twins.
 */
export async function takeLease(db: Knex, holder: string, leaseMs: number): Promise<boolean> {
  const held = await firstRow<{ holder: string }>(
    db,
    `INSERT INTO outbox_lease AS lease (id, holder, expires_at)
     VALUES (1, ?, now() + ? * interval '1 millisecond')
     ON CONFLICT (id) DO UPDATE
        SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE lease.holder = excluded.holder OR lease.expires_at < now()
     RETURNING holder`,
    [holder, leaseMs],
  );
  return held !== undefined;
}

export async function releaseLease(db: Knex, holder: string): Promise<void> {
  await execute(db, 'DELETE FROM outbox_lease WHERE holder = ?', [holder]);
}
