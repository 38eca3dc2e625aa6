import type { LegalHold, SetLegalHold } from '@ops/contracts/resources/legal-hold';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict } from '@ops/service-kit/errors';
import { requireHome } from '../aliases/alias-service.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import { lockCustomer } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import * as store from './legal-hold-store.ts';

export { idsOnHold, lockHolds as keepHoldsAsTheyAre } from './legal-hold-store.ts';

export async function getLegalHold(db: Db | Trx, id: string): Promise<LegalHold> {
  const home = await requireHome(db, id);
  return shown(home, await store.findHold(db, home));
}

/** Whoever erases a customer asks with the customer locked: nobody puts them on hold meanwhile. */
export const onLegalHold = async (db: Db | Trx, id: string): Promise<boolean> => (await getLegalHold(db, id)).on;

/** Said again it is so once; another reason takes the place of the one before. */
export async function setLegalHold(
  deps: Deps,
  trx: Trx,
  asked: string,
  { on, reason }: SetLegalHold,
  actor: Actor,
): Promise<LegalHold> {
  const id = await lockHome(trx, asked);
  const before = await getLegalHold(trx, id);
  if (before.on === on && (!on || before.reason === reason)) return before;
  if (on) await letHoldsChange(trx);
  if (on) await store.putOnHold(trx, id, { reason, by: actor.sub, at: deps.now() });
  else await store.liftHold(trx, id);
  await audit(trx, {
    subject: { kind: 'customer', id, customer_id: id },
    before: factsOf(before.on, before.reason),
    after: factsOf(on, reason),
  });
  await announceCustomers(deps, trx, [id]);
  return getLegalHold(trx, id);
}

/** Whoever comes to be on hold by this transaction is so for every run there will be: none is under way. */
export async function letHoldsChange(trx: Trx): Promise<void> {
  if (!(await store.shareHolds(trx)))
    throw conflict(
      'A retention run is under way and may be removing what this customer has; try again when it is over',
    );
}

async function lockHome(trx: Trx, asked: string): Promise<string> {
  await requireHome(trx, asked);
  return (await lockCustomer(trx, asked))?.leads_to ?? asked;
}

const shown = (customer_id: string, hold: store.Hold | undefined): LegalHold => ({
  customer_id,
  on: hold !== undefined,
  reason: hold?.reason ?? null,
  by: hold?.by ?? null,
  since: hold?.since ?? null,
});

const factsOf = (on: boolean, reason: string | null) => ({ legal_hold: on, legal_hold_because: reason });
