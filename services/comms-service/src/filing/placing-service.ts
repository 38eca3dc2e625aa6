import type { Db, Trx } from '@ops/service-kit/database';
import { holdHomes } from '../aliases/alias-service.ts';
import { findHolders } from './identifier-store.ts';
import { type Holders, lookedUp, placeAll, type Sender, toHolders } from './matching.rules.ts';

/** Which customers have what these senders are known by. */
export const holdersFor = async (db: Db | Trx, senders: readonly Sender[]): Promise<Holders> =>
  toHolders(await findHolders(db, senders.flatMap(lookedUp)));

/**
 * Whose each one's message is, and what they teach of each other. Whoever has them is held first, so that nobody is merged until their
 * messages are in the log.
 */
export async function placeSenders(trx: Trx, senders: readonly Sender[]) {
  const known = await findHolders(trx, senders.flatMap(lookedUp));
  const ids = new Set(known.map((one) => one.customer_id));
  const homes = await holdHomes(trx, [...ids]);
  return placeAll(senders, toHolders(known.map((one) => ({ ...one, home: homes.get(one.customer_id) ?? one.home }))));
}
