import type { Db, Trx } from '@ops/service-kit/database';
import { findHolders } from './identifier-store.ts';
import { type Holders, lookedUp, placeAll, type Sender, toHolders } from './matching.rules.ts';

/** Which customers have what these senders are known by. */
export const holdersFor = async (db: Db | Trx, senders: readonly Sender[]): Promise<Holders> =>
  toHolders(await findHolders(db, senders.flatMap(lookedUp)));

/** Whose each one's message is, and what they teach of each other. */
export const placeSenders = async (trx: Trx, senders: readonly Sender[]) =>
  placeAll(senders, await holdersFor(trx, senders));
