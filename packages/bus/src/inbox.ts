import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';

/**
 * Records the events and returns those this queue had not taken yet. A twin in work elsewhere is waited for: it
 * either commits, and ours is no longer fresh, or fails, and ours is. Written in the order of ids, so that two
 * consumers with the same events do not wait for each other.
 */
export async function takeFresh(trx: Knex.Transaction, queue: string, events: Envelope[]): Promise<Envelope[]> {
  const { rows } = await trx.raw(
    `insert into inbox (queue, event_id)
     select ?, event_id from (select distinct unnest(?::text[]) as event_id) as taken order by event_id
     on conflict do nothing
     returning event_id`,
    [queue, events.map((event) => event.id)],
  );
  const fresh = new Set(rows.map((row: { event_id: string }) => row.event_id));
  return events.filter((event) => fresh.delete(event.id));
}
