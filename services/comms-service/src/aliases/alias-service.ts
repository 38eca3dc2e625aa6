import type { Db, Trx } from '@ops/service-kit/database';
import { notFound, ProblemError } from '@ops/service-kit/errors';
import { erasedAmong, holdHomes, homeOf } from './alias-store.ts';

export { aliasesOf, decidedOf, erasedAmong, holdHomes, homesOf, survivorsAmong } from './alias-store.ts';

/** Nobody has this id; or whoever had it was erased, and nobody is given it again. */
export async function noCustomer(db: Db | Trx, id: string): Promise<ProblemError> {
  const isErased = (await erasedAmong(db, [id])).has(id);
  return isErased
    ? new ProblemError(404, 'erased', { detail: `Whoever had the id ${id} was erased` })
    : notFound(`There is no customer ${id}`);
}

/** Of what is told, that which is of nobody who was erased: it was under way, and comes too late. */
export async function ofNobodyErased<T extends { data: { customer_id: string } }>(
  trx: Trx,
  told: readonly T[],
): Promise<T[]> {
  const erased = await erasedAmong(
    trx,
    told.map(({ data }) => data.customer_id),
  );
  return told.filter(({ data }) => !erased.has(data.customer_id));
}

/** Which customer this id leads to, which is mostly the one that has it. It may lead elsewhere a moment later. */
export async function requireHome(db: Db | Trx, id: string): Promise<string> {
  const home = await homeOf(db, id);
  if (home === undefined) throw await noCustomer(db, id);
  return home;
}

/** The same, for whoever writes something of the customer: nobody merges or erases them until it is written. */
export const holdHome = async (trx: Trx, id: string): Promise<string> => (await holdAll(trx, [id])).get(id) ?? id;

/** The same of many, all of whom there must be. */
export async function holdAll(trx: Trx, ids: readonly string[], mayWait?: boolean): Promise<Map<string, string>> {
  const homes = await holdHomes(trx, [...new Set(ids)], mayWait);
  const unknown = ids.find((id) => !homes.has(id));
  if (unknown !== undefined) throw await noCustomer(trx, unknown);
  return homes;
}

/**
 * Reads of the customer that an id leads to. `read` finds nothing of an alias, as one may have become meanwhile: then of whom it
 * leads to by now.
 */
export async function readHome<T>(db: Db, id: string, read: (home: string) => Promise<T | undefined>): Promise<T> {
  const home = await requireHome(db, id);
  return (await read(home)) ?? readHome(db, id, read);
}
