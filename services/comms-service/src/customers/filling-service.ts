import type { Trx } from '@ops/service-kit/database';
import type { Profile, StoredCustomer } from './customer.rules.ts';
import { findCustomer } from './customer-store.ts';
import { type Filled, fillFrom, saidAnew, withFilled, withoutFilled } from './filling.rules.ts';
import * as store from './filling-store.ts';

/** A customer who turned out to be another one gives what that one lacks. Both must be locked. */
export async function fillSurvivor(trx: Trx, aliasId: string): Promise<void> {
  const alias = await required(trx, aliasId);
  await change(trx, alias, (survivor, said) => ({ survivor, kept: {}, fresh: fillFrom(said, survivor) }));
}

/** Nothing of it is left with the survivor, unless another alias says the same. */
export async function emptySurvivor(trx: Trx, aliasId: string): Promise<void> {
  const alias = await required(trx, aliasId);
  await change(trx, alias, (survivor) => ({ survivor: withoutFilled(survivor, alias.filled), kept: {}, fresh: {} }));
  await fillByOthers(trx, alias);
}

/** What is said of an alias by now touches of the survivor what it had filled, and whether they may be contacted at all. */
export async function refillSurvivor(trx: Trx, aliasId: string): Promise<void> {
  const alias = await required(trx, aliasId);
  const fields = [...Object.keys(alias.filled), 'do_not_contact'];
  await change(trx, alias, (before, said) => {
    const survivor = withoutFilled(before, alias.filled);
    return { survivor, kept: {}, fresh: fillFrom(said, survivor, fields) };
  });
  await fillByOthers(trx, alias);
  if (await store.findFilling(trx, alias.merged_into)) await refillSurvivor(trx, alias.merged_into);
}

/** What was said of whoever stays while they were one stays with them, even if it was filled with the same before. */
export async function keepSaid(trx: Trx, stored: StoredCustomer, profile: Profile): Promise<void> {
  const fields = saidAnew(stored, profile);
  if (fields.length > 0) await store.keepOwn(trx, [stored.id], fields);
}

export const keepAgents = (trx: Trx, ids: readonly string[]): Promise<void> =>
  store.keepOwn(trx, ids, ['assigned_agent']);

async function required(trx: Trx, aliasId: string): Promise<store.FillingAlias> {
  const alias = await store.findFilling(trx, aliasId);
  if (!alias) throw new Error('an alias leads nowhere');
  return alias;
}

async function fillByOthers(trx: Trx, { customer_id, merged_into, filled }: store.FillingAlias): Promise<void> {
  const lost = Object.keys(filled);
  for (const other of await store.fillingsOf(trx, merged_into))
    if (other.customer_id !== customer_id)
      await change(trx, other, (survivor, said) => ({
        survivor,
        kept: other.filled,
        fresh: fillFrom(said, survivor, lost),
      }));
}

interface Filling {
  survivor: StoredCustomer;
  /** What came from this alias before, and what does now. */
  kept: Filled;
  fresh: Filled;
}

async function change(
  trx: Trx,
  { customer_id, merged_into }: store.FillingAlias,
  decide: (survivor: StoredCustomer, alias: StoredCustomer) => Filling,
): Promise<void> {
  const [alias, before] = [await findCustomer(trx, customer_id), await findCustomer(trx, merged_into)];
  if (!alias || !before) throw new Error('a customer who was merged is gone');
  const { survivor, kept, fresh } = decide(before, alias);
  await store.saveFilled(trx, customer_id, { ...kept, ...fresh });
  await store.saveFacts(trx, withFilled(survivor, fresh, alias));
}
