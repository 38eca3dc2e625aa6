import type { Db, Trx } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { holdHomes, homeOf } from './alias-store.ts';

export { aliasesOf, decidedOf, holdHomes, homesOf } from './alias-store.ts';

const noCustomer = (id: string) => notFound(`There is no customer ${id}`);

/** Which customer this id leads to, which is mostly the one that has it. It may lead elsewhere a moment later. */
export async function requireHome(db: Db | Trx, id: string): Promise<string> {
  const home = await homeOf(db, id);
  if (home === undefined) throw noCustomer(id);
  return home;
}

/** The same, for whoever writes something of the customer: nobody merges them until it is written. */
export async function holdHome(trx: Trx, id: string): Promise<string> {
  const home = (await holdHomes(trx, [id])).get(id);
  if (home === undefined) throw noCustomer(id);
  return home;
}

/**
 * Reads of the customer that an id leads to. `read` finds nothing of an alias, as one may have become meanwhile: then of whom it
 * leads to by now.
 */
export async function readHome<T>(db: Db, id: string, read: (home: string) => Promise<T | undefined>): Promise<T> {
  const home = await requireHome(db, id);
  return (await read(home)) ?? readHome(db, id, read);
}
