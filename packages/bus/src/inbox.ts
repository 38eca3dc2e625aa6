import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';
import { validate } from 'uuid';
import { rows } from './sql.ts';

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
  const taken = await rows<{ event_id: string }>(
    trx,
    `INSERT INTO inbox (queue, event_id)
     SELECT ?, event_id FROM (SELECT DISTINCT unnest(?::text[]) AS event_id) AS taken ORDER BY event_id
     ON CONFLICT DO NOTHING
     RETURNING event_id`,
    [queue, events.map(eventKey)],
  );
  const fresh = new Set(taken.map(({ event_id }) => event_id));
  return events.filter((event) => fresh.delete(eventKey(event)));
}
