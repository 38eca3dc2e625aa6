import type { Customer, MergeCustomer } from '@ops/contracts/resources/customer';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Trx } from '@ops/service-kit/database';
import { conflict, ProblemError, unprocessable } from '@ops/service-kit/errors';
import { v7 as uuidv7 } from 'uuid';
import { aliasesOf, requireHome } from '../aliases/alias-service.ts';
import { joinAttention, partAttention } from '../attention/attention-service.ts';
import { auditedOf } from '../customers/customer.rules.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import { getCustomer } from '../customers/customer-service.ts';
import { emptySurvivor, fillSurvivor } from '../customers/filling-service.ts';
import type { Deps } from '../deps.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { claimWaiting } from '../filing/linking-service.ts';
import { keyOf } from '../filing/matching.rules.ts';
import { letHoldsChange, onLegalHold } from '../legal-hold/legal-hold-service.ts';
import { takeLinkBack } from '../unmatched/unmatched-service.ts';
import { type Alias, decideMerge, reasonAgainstUndoing } from './merging.rules.ts';
import * as store from './merging-store.ts';

/** The id leads to the other one from now on, and all that was ever written under it is there. Said again it is so once. */
export async function mergeCustomer(
  deps: Deps,
  trx: Trx,
  id: string,
  { into }: MergeCustomer,
  actor: Actor,
): Promise<Customer> {
  await decideAlone(trx);
  const home = await requireHome(trx, id);
  const survivor = await requireHome(trx, into);
  const decision = decideMerge({ id, home, into, intoHome: survivor });
  if (decision === 'itself') throw refusal('is the customer itself');
  if (decision === 'own') throw refusal('is another id of this customer already');
  if (decision === 'elsewhere') throw elsewhere(id, home);
  if (decision === 'same') return getCustomer(trx, home);
  // Whoever of the two was not on hold comes to be.
  if ((await onLegalHold(trx, id)) || (await onLegalHold(trx, survivor))) await letHoldsChange(trx);
  const keys = await holdAll(trx, [id, survivor]);
  const before = await seen(trx, survivor);
  const at = deps.now();
  const alias = { customer_id: id, merged_into: survivor, link_id: uuidv7() };
  const version = await store.saveAlias(trx, alias, at);
  await store.leadTo(trx, id, survivor);
  await store.carryRows(trx, id, id, survivor);
  await fillSurvivor(trx, id);
  await joinAttention(trx, id, survivor, at);
  await claimWaiting(deps, trx, keys, { id: alias.link_id, customer: survivor, home: survivor, by: actor.sub, at });
  await announce(deps, trx, { ...alias, version }, [survivor], at);
  await remember(trx, { id, before: null, after: survivor }, { id: survivor, before });
  return getCustomer(trx, survivor);
}

/** The customer is themselves again, with all that was theirs and what came under their id since; what became clear by it waits again. */
export async function unmergeCustomer(deps: Deps, trx: Trx, id: string, actor: Actor): Promise<Customer> {
  await decideAlone(trx);
  await requireHome(trx, id);
  const alias = await store.findAlias(trx, id);
  if (!isMerged(alias)) return getCustomer(trx, id);
  const { merged_into: survivor, link_id } = alias;
  const at = deps.now();
  const later = (await store.findAlias(trx, survivor))?.merged_into ?? null;
  const reason = reasonAgainstUndoing(alias, later, at);
  if (reason !== undefined) throw conflict(reason);
  await holdAll(trx, [survivor]);
  const before = await seen(trx, survivor);
  await takeLinkBack(deps, trx, { id: link_id, customer: survivor, home: survivor, by: actor.sub, at });
  await emptySurvivor(trx, id);
  const taken = { customer_id: id, merged_into: null, link_id };
  const version = await store.saveAlias(trx, taken, at);
  await store.leadTo(trx, id, id);
  await store.carryRows(trx, id, survivor, id);
  await store.giveBackIdentifiers(trx, id, survivor);
  await partAttention(trx, id, survivor);
  await announce(deps, trx, { ...taken, version }, [id, survivor], at);
  await remember(trx, { id, before: survivor, after: null }, { id: survivor, before });
  return getCustomer(trx, id);
}

const isMerged = (alias: Alias | undefined): alias is Alias & { merged_into: string } =>
  alias !== undefined && alias.merged_into !== null;

const refusal = (message: string) => unprocessable([{ path: 'into', message }]);

const elsewhere = (id: string, home: string) =>
  new ProblemError(409, 'merged_elsewhere', { detail: `${id} was merged into ${home}; take that back first` });

/** Who leads where is decided by one at a time, so that it stays as it is while all that it touches is held. */
const decideAlone = (trx: Trx): Promise<void> => lockKeys(trx, ['merging']);

/**
 * These and all who lead to them: the keys of their identifiers before themselves, as everybody does; what was learned of them
 * until they were held as well. Gives back the keys.
 */
async function holdAll(trx: Trx, homes: readonly string[]): Promise<string[]> {
  const ids = [...homes];
  for (const home of homes) ids.push(...(await aliasesOf(trx, home)));
  const keys = async () => (await store.identifiersOfAll(trx, ids)).map(keyOf);
  await lockKeys(trx, await keys());
  await store.holdAlone(trx, ids);
  const all = await keys();
  await lockKeys(trx, all);
  return all;
}

interface Told extends Pick<Alias, 'customer_id' | 'merged_into' | 'version'> {}

async function announce(
  deps: Deps,
  trx: Trx,
  { customer_id, merged_into: into, version }: Told,
  changed: readonly string[],
  at: Date,
): Promise<void> {
  const data = { customer_id, into, version, occurred_at: at.toISOString() };
  await deps.outbox.add(trx, { type: 'customer.merged', data });
  await announceCustomers(deps, trx, changed);
}

/** What people see of the one who stays. */
const seen = async (trx: Trx, id: string) => ({
  ...auditedOf(await getCustomer(trx, id)),
  merged_from: await aliasesOf(trx, id),
  legal_hold: await onLegalHold(trx, id),
});

/** In the history of both. */
async function remember(
  trx: Trx,
  alias: { id: string; before: string | null; after: string | null },
  survivor: { id: string; before: Awaited<ReturnType<typeof seen>> },
): Promise<void> {
  const subject = (id: string) => ({ kind: 'customer' as const, id, customer_id: id });
  await audit(
    trx,
    { subject: subject(alias.id), before: { merged_into: alias.before }, after: { merged_into: alias.after } },
    { subject: subject(survivor.id), before: survivor.before, after: await seen(trx, survivor.id) },
  );
}
