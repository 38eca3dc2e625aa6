import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';

export interface WaitingEvent {
  /** A bigint, as pg gives it. */
  id: string;
  event: Envelope;
  queue: string | null;
}

/**
 * Finds work by state, never by a remembered position: ids are drawn before the commit, so a row may appear
 * below one already published. The partial index holds waiting rows alone. Types that are held back hold up no other.
 */
export async function readWaiting(db: Knex, limit: number, held: readonly string[]): Promise<WaitingEvent[]> {
  const { rows } = await db.raw(
    `select id, event, queue
       from outbox
      where published_at is null and (queue is not null or type <> all(?::text[]))
      order by id
      limit ?`,
    [[...held], limit],
  );
  return rows;
}

export async function markPublished(db: Knex, ids: readonly string[]): Promise<void> {
  await db.raw('update outbox set published_at = now() where id = any(?::bigint[])', [[...ids]]);
}

/**
 * A replay whose queue is gone must not hold up the rows behind it: it is put aside with the reason, and the dead
 * letter it came from waits again (unless its like has come to wait there in the meantime).
 */
export async function putAside(db: Knex, ids: readonly string[], reason: string): Promise<void> {
  await db.raw(
    `with aside as (
       update outbox set published_at = now(), error = ? where id = any(?::bigint[]) returning event_id, queue
     )
     update dead_letters as dead
        set replayed_at = null
       from (
         select distinct on (letter.queue, letter.event_id) letter.id
           from dead_letters as letter
           join aside on aside.queue = letter.queue and aside.event_id = letter.event_id
          where not exists (
            select from dead_letters as other
             where other.queue = letter.queue and other.event_id = letter.event_id and other.replayed_at is null
          )
          order by letter.queue, letter.event_id, letter.id desc
       ) as latest
      where dead.id = latest.id`,
    [reason, [...ids]],
  );
}

/**
 * One relay of a schema is at work, the others stand by. Taking and keeping the lease is one plain statement that
 * needs no session, so it holds behind a transaction-mode pooler. Should a holder sleep past its time, two relays
 * publish the same rows: consumers drop the twins.
 */
export async function takeLease(db: Knex, holder: string, leaseMs: number): Promise<boolean> {
  const { rows } = await db.raw(
    `insert into outbox_lease as lease (id, holder, expires_at)
     values (1, ?, now() + ? * interval '1 millisecond')
     on conflict (id) do update
        set holder = excluded.holder, expires_at = excluded.expires_at
      where lease.holder = excluded.holder or lease.expires_at < now()
     returning holder`,
    [holder, leaseMs],
  );
  return rows.length > 0;
}

export async function releaseLease(db: Knex, holder: string): Promise<void> {
  await db.raw('delete from outbox_lease where holder = ?', [holder]);
}
