import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Customers } from './customer-client.ts';
import { holdMerges, isAnyNew, keepNewer, leadingBy, leads, lockMerges, type Merge } from './merge-store.ts';
import { newestOfEach } from './newest-of-each.ts';

export { holdMerges, leads, type Merge } from './merge-store.ts';

/**
 * Keeps up with whose ids are, in whatever order and however often it is told. `takeAlong` moves what was written under these
 * ids to whom each leads to by now; the same again moves nothing. Comes before whatever else its transaction locks.
 */
export async function followMerges(
  trx: Trx,
  merges: readonly Merge[],
  takeAlong: (trx: Trx, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  if (merges.length === 0 || !(await isAnyNew(trx, merges))) return;
  await lockMerges(trx);
  const changed = await keepNewer(
    trx,
    newestOfEach(merges, ({ customer_id }) => customer_id),
  );
  if (changed.length > 0) await takeAlong(trx, await leadingBy(trx, changed));
}

export const leadsTo = async (db: Db | Trx, id: string): Promise<string> => (await leads(db, [id]))(id);

/** Whom ids lead to, which stays so until the transaction ends. */
export async function heldLeads(trx: Trx, ids: readonly string[]): Promise<(id: string) => string> {
  await holdMerges(trx);
  return leads(trx, ids);
}

export const heldLead = async (trx: Trx, id: string): Promise<string> => (await heldLeads(trx, [id]))(id);

/** What comms-service says of customers. */
export interface Described {
  /** By the id that was asked for, whom it leads to; whoever nobody knows is not in it. */
  cards: Map<string, CustomerCard>;
  /** What was decided of these ids, heard here or not. */
  merges: Merge[];
}

/** Rejects with an InternalCallError. */
export async function describe(customers: Customers, ids: readonly string[]): Promise<Described> {
  const known = new Map<string, CustomerCard>();
  const asked = new Set<string>();
  for (
    let next = [...new Set(ids)];
    next.length > 0;
    next = [...known.values()].flatMap(intoOf).filter((id) => !asked.has(id))
  ) {
    for (const id of next) asked.add(id);
    for (const card of await customers.cards(next)) known.set(card.id, card);
  }
  const merges = [...known.values()].flatMap(({ id, merged }) => (merged ? { customer_id: id, ...merged } : []));
  const cards = ids.flatMap((id): [string, CustomerCard][] => {
    const card = lastOf(known, id);
    return card ? [[id, card]] : [];
  });
  return { cards: new Map(cards), merges };
}

const intoOf = ({ merged }: CustomerCard): string[] => (merged?.into ? [merged.into] : []);

function lastOf(known: ReadonlyMap<string, CustomerCard>, id: string): CustomerCard | undefined {
  const seen = new Set<string>();
  let card = known.get(id);
  for (let next = card; next && !seen.has(next.id); next = known.get(next.merged?.into ?? '')) {
    seen.add(next.id);
    card = next;
  }
  return card;
}
