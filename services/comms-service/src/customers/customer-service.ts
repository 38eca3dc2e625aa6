import { type CustomerCard, customerCard } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type {
  CreateCustomer,
  Customer,
  CustomerListQuery,
  FactSource,
  PatchCustomer,
  PutCustomer,
} from '@ops/contracts/resources/customer';
import type { Actor } from '@ops/contracts/roles';
import { refuseUnknown } from '@ops/following/agent-service';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { forbidden, ProblemError, unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { aliasesOf, decidedOf, erasedAmong, homesOf, noCustomer, requireHome } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { claimWaiting } from '../filing/linking-service.ts';
import { keyOf, type SenderIdentifier } from '../filing/matching.rules.ts';
import {
  auditedOf,
  changeableBy,
  customerChanged,
  identifiersGiven,
  isAlready,
  newlyGiven,
  patched,
  readCustomer,
  type StoredCustomer,
  toCustomer,
  type Wanted,
} from './customer.rules.ts';
import { announceCustomers } from './customer-news-service.ts';
import * as store from './customer-store.ts';
import { keepSaid, refillSurvivor } from './filling-service.ts';
import { searchPatterns } from './search.rules.ts';
import { keepPeoples } from './source.rules.ts';

export { agentsOfCustomers, findCustomers, lockCustomer, namesOf } from './customer-store.ts';

export interface PutOutcome {
  customer: Customer;
  created: boolean;
  /** What a person said, and whoever asked may not change. */
  kept: string[];
}

/** Who asks, and of which version. */
export interface Asker {
  actor: Actor;
  ifMatch: string | undefined;
}

const sourceOf = ({ role }: Actor): FactSource => (role === 'automation' ? 'automation' : 'staff');

export async function putCustomer(
  deps: Deps,
  trx: Trx,
  id: string,
  input: PutCustomer,
  { actor, ifMatch }: Asker,
): Promise<PutOutcome> {
  const wanted = read(deps, input, sourceOf(actor));
  await prepareFor(deps, trx, wanted, await store.findCustomer(trx, id));
  return saveCustomer(deps, trx, id, () => wanted, ifMatch);
}

/** Never writes over somebody: whoever has the id stays as they are, and is named. */
export async function createCustomer(deps: Deps, trx: Trx, { id, ...input }: CreateCustomer): Promise<Customer> {
  const wanted = read(deps, input, 'staff');
  await prepareFor(deps, trx, wanted, undefined);
  const created = id === undefined ? await insertNumbered(deps, trx, wanted) : id;
  if (id !== undefined && !(await store.insertCustomer(trx, id, wanted, deps.now()))) throw await taken(trx, id);
  return announceSaved(deps, trx, created, undefined, wanted);
}

const highestNumber = 999_999_999;

/** Whoever takes the number at the same moment leaves the next one. */
async function insertNumbered(deps: Deps, trx: Trx, wanted: Wanted): Promise<string> {
  const number = await store.nextNumber(trx);
  if (number > highestNumber) throw unprocessable([{ path: 'id', message: 'must be given: the numbers are used up' }]);
  const id = `C-${number}`;
  return (await store.insertCustomer(trx, id, wanted, deps.now())) ? id : insertNumbered(deps, trx, wanted);
}

async function taken(trx: Trx, id: string): Promise<ProblemError> {
  if ((await erasedAmong(trx, [id])).has(id))
    return new ProblemError(409, 'erased', { detail: `Whoever had the id ${id} was erased; take another` });
  const { name } = await getCustomer(trx, id);
  const detail = `${id} is ${name} already`;
  return new ProblemError(409, 'conflict', { detail, errors: [{ path: 'id', message: detail }] });
}

/** A person who names an alias means whom they see, the one it leads to; a system changes what it told of that id. */
export async function patchCustomer(
  deps: Deps,
  trx: Trx,
  asked: string,
  patch: PatchCustomer,
  { actor, ifMatch }: Asker,
): Promise<PutOutcome> {
  const by = sourceOf(actor);
  if (patch.archived !== undefined && by !== 'staff') throw forbidden('Who is a former customer, people say');
  const patchedOf = (stored: StoredCustomer) => read(deps, patched(stored, patch), by);
  const id = by === 'staff' ? await requireHome(trx, asked) : asked;
  const known = changeableBy(by, await requireStored(trx, id));
  await prepareFor(deps, trx, patchedOf(known), known);
  // What it leaves out is as whoever held the customer before left it, not as it was a moment ago.
  return saveCustomer(deps, trx, id, (stored = known) => patchedOf(stored), ifMatch);
}

function read({ phoneRegion }: Deps, input: PutCustomer, by: FactSource): Wanted {
  const wanted = readCustomer(input, phoneRegion, by);
  if ('problems' in wanted) throw unprocessable(wanted.problems);
  return wanted;
}

/** The keys before the customer itself, as whoever takes in messages does it: or the two would wait for each other. */
async function prepareFor(deps: Deps, trx: Trx, wanted: Wanted, stored: StoredCustomer | undefined): Promise<void> {
  await refuseUnknownAgent(deps, trx, wanted, stored);
  await lockKeys(trx, identifiersGiven(wanted).map(keyOf));
}

/** notifier may be asked, so before anything is locked. */
const refuseUnknownAgent = (deps: Deps, trx: Trx, { profile }: Wanted, stored: StoredCustomer | undefined) =>
  refuseUnknown(deps, trx, profile.assigned_agent, stored?.assigned_agent);

/**
 * The keys of the identifiers that the customer is given must be locked. What is said of an alias changes what is its own, and of whom it
 * leads to what came from it.
 */
export async function saveCustomer(
  deps: Deps,
  trx: Trx,
  id: string,
  wantedOf: (stored: StoredCustomer | undefined) => Wanted,
  ifMatch: string | undefined,
): Promise<PutOutcome> {
  const locked = await store.lockCustomer(trx, id);
  const home = locked?.leads_to ? await store.findHome(trx, id) : locked;
  requireMatch(ifMatch, home?.version);
  const { by } = wantedOf(locked);
  const stored = locked && changeableBy(by, locked);
  const { wanted, kept } = keepPeoples(stored, wantedOf(stored));
  if (stored && home && isAlready(stored, wanted)) return { customer: toCustomer(home), created: false, kept };
  const created = !stored && (await store.insertCustomer(trx, id, wanted, deps.now()));
  if (!stored && !created && (await erasedAmong(trx, [id])).has(id)) throw await noCustomer(trx, id);
  // A twin created it while this one looked: now there is a row to lock.
  if (!stored && !created) return saveCustomer(deps, trx, id, wantedOf, ifMatch);
  if (stored) await store.updateCustomer(trx, stored, wanted, deps.now());
  if (stored?.leads_to) await followSurvivor(deps, trx, stored, home);
  else if (stored) await keepSaid(trx, stored, wanted.profile);
  return { customer: await announceSaved(deps, trx, id, stored, wanted), created, kept };
}

async function followSurvivor(
  deps: Deps,
  trx: Trx,
  alias: StoredCustomer,
  before: StoredCustomer | undefined,
): Promise<void> {
  await refillSurvivor(trx, alias.id);
  const { id } = before ?? alias;
  await store.raiseVersions(trx, [id], deps.now());
  await auditCustomer(trx, before && toCustomer(before), await getCustomer(trx, id));
}

async function announceSaved(deps: Deps, trx: Trx, id: string, stored: StoredCustomer | undefined, wanted: Wanted) {
  await claim(deps, trx, id, newlyGiven(stored, wanted));
  const changed = changeableBy(wanted.by, await requireStored(trx, id));
  await auditCustomer(trx, stored && toCustomer(stored), toCustomer(changed));
  const customer = await getCustomer(trx, id);
  await deps.outbox.add(trx, { type: 'customer.changed', data: customerChanged(customer) });
  return customer;
}

export async function auditCustomer(trx: Trx, before: Customer | undefined, after: Customer): Promise<void> {
  const subject = { kind: 'customer' as const, id: after.id, customer_id: after.id };
  await audit(trx, { subject, before: before && auditedOf(before), after: auditedOf(after) });
}

/** What the customer takes from messages that waited for it is told with its own change. */
async function claim(deps: Deps, trx: Trx, id: string, given: SenderIdentifier[]): Promise<void> {
  const changed = await claimWaiting(deps, trx, given.map(keyOf));
  await announceCustomers(
    deps,
    trx,
    changed.filter((one) => one !== id),
  );
}

/** Whom this id leads to. */
export async function getCustomer(db: Db | Trx, id: string): Promise<Customer> {
  const stored = await store.findHome(db, id);
  if (!stored) throw await noCustomer(db, id);
  return toCustomer(stored);
}

/** Whom each of these ids leads to, which for most are those who have them; who does not exist is left out. */
export async function getCustomers(db: Db | Trx, ids: readonly string[]): Promise<Map<string, Customer>> {
  const found = new Map<string, Customer>();
  for (const stored of ids.length === 0 ? [] : await store.findCustomers(db, [...new Set(ids)]))
    found.set(stored.id, stored.leads_to ? await getCustomer(db, stored.id) : toCustomer(stored));
  return found;
}

/** Of an alias, what is its own. */
async function requireStored(db: Db | Trx, id: string): Promise<StoredCustomer> {
  const stored = await store.findCustomer(db, id);
  if (!stored) throw await noCustomer(db, id);
  return stored;
}

/** As other services see them, each under the id that was asked for, whoever that leads to; who does not exist is left out. */
export async function readCards(db: Db | Trx, ids: readonly string[]): Promise<CustomerCard[]> {
  const homes = await homesOf(db, ids);
  const decided = await decidedOf(db, ids);
  const found = new Map((await store.findCustomers(db, [...new Set(homes.values())])).map((one) => [one.id, one]));
  return [...new Set(ids)].flatMap((id) => {
    const stored = found.get(homes.get(id) ?? '');
    return stored ? customerCard.parse({ ...toCustomer(stored), id, merged: decided.get(id) ?? null }) : [];
  });
}

/** With what was done to whoever leads here, for as long as they do. */
export async function historyOfCustomer(db: Db, id: string, query: HistoryQuery): Promise<Page<AuditEntry>> {
  const home = await requireHome(db, id);
  return historyOf(db, { kind: 'customer', id: home, aliases: await aliasesOf(db, home) }, query);
}

export async function listCustomers(deps: Deps, db: Db, query: CustomerListQuery): Promise<Page<Customer>> {
  const position = decodeCursor(query.cursor, ['string', 'string']);
  const rows = await store.listCustomers(db, {
    patterns: query.query === undefined ? undefined : searchPatterns(query.query, deps.phoneRegion),
    ids: query.ids?.split(','),
    unread: query.unread,
    archived: query.archived ?? (isLookedFor(query) ? undefined : false),
    after: position && { sortKey: position[0], id: position[1] },
    limit: query.limit + 1,
  });
  const page = toPage(rows, query.limit, (row) => [row.sort_key, row.id]);
  return { ...page, data: page.data.map(toCustomer) };
}

/** Somebody means these, or they wrote: former customers are among them. */
const isLookedFor = ({ query, ids, unread }: CustomerListQuery) => (query ?? ids) !== undefined || unread === true;
