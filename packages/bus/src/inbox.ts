import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';
import { validate } from 'uuid';

/**
 * What an event is known by. Its id is unique with its source alone, and two upstream systems may number theirs alike; a
 * UUID, as all of ours are, is unique by itself.
 */
export const eventKey = ({ source, id }: Pick<Envelope, 'source' | 'id'>): string =>
  validate(id) ? id : `${source} ${id}`;

/**
 * Records the events and returns those this queue had not taken yet. A twin in work elsewhere is waited for: it
 * either commits, and ours is no longer fresh, or fails, and ours is. Written in the order of ids, so that two
 * consumers with the same events do not wait for each other.
 */
export async function takeFresh<E extends Pick<Envelope, 'source' | 'id'>>(
  trx: Knex.Transaction,
  queue: string,
  events: readonly E[],
): Promise<E[]> {
  const { rows } = await trx.raw(
    `insert into inbox (queue, event_id)
     select ?, event_id from (select distinct unnest(?::text[]) as event_id) as taken order by event_id
     on conflict do nothing
     returning event_id`,
    [queue, events.map(eventKey)],
  );
  const fresh = new Set(rows.map((row: { event_id: string }) => row.event_id));
  return events.filter((event) => fresh.delete(eventKey(event)));
}
