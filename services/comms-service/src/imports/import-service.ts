import type { PlainDate } from '@ops/contracts/dates';
import { type CustomerImportRow, customerImportRow } from '@ops/contracts/resources/import';
import { responsibleToday, unknownOf } from '@ops/following/agent-service';
import { type ImportKind, refusedFor, type Verdict } from '@ops/imports/import';
import type { Db, Trx } from '@ops/service-kit/database';
import { erasedAmong } from '../aliases/alias-service.ts';
import { identifiersGiven, ownOf, patched, readCustomer, type StoredCustomer } from '../customers/customer.rules.ts';
import { agentsOfCustomers, findCustomers, lockCustomer, saveCustomer } from '../customers/customer-service.ts';
import { type Kept, keepPeoples } from '../customers/source.rules.ts';
import type { Deps } from '../deps.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { keyOf } from '../filing/matching.rules.ts';
import { agentToRefuse, outcomeOf } from './import.rules.ts';

export interface ImportDeps extends Deps {
  /** The business date: the firm's calendar at this moment. */
  today: () => PlainDate;
}

/** Customers from a file, put as a person would put them. */
export const customerImport = (deps: ImportDeps): ImportKind<CustomerImportRow> => ({
  continues: 'customer_import.continue',
  row: customerImportRow,
  keyOf: ({ customer_id }) => customer_id,
  foresee: (db, rows) => foresee(deps, db, rows),
  take: (trx, rows) => take(deps, trx, rows),
  responsible: (db, ids) => responsibleOf(deps, db, ids),
});

async function responsibleOf(deps: ImportDeps, db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  const [responsible, owners] = [await responsibleToday(deps, db), await agentsOfCustomers(db, ids)];
  return new Map([...owners].map(([id, owner]) => [id, responsible.open(owner)]));
}

/** What a file may change: of one whom aliases lead to, what is not of them. */
async function storedOf(db: Db, rows: readonly CustomerImportRow[]): Promise<Map<string, StoredCustomer>> {
  const found = await findCustomers(
    db,
    rows.map(({ customer_id }) => customer_id),
  );
  return new Map(found.map((one) => [one.id, ownOf(one)]));
}

const idsOf = (rows: readonly CustomerImportRow[]) => rows.map(({ customer_id }) => customer_id);

const agentOf = ({ assigned_agent }: CustomerImportRow) => assigned_agent;

type Reading = Kept | { refused: Verdict };

/** What is wrong with one of several in a cell is told of the column. */
function readingOf(
  deps: Deps,
  stored: StoredCustomer | undefined,
  row: CustomerImportRow,
  unknown: ReadonlySet<string>,
): Reading {
  const agent = agentToRefuse(row, stored, unknown);
  if (agent !== undefined) return { refused: refusedFor('assigned_agent', `is not a known agent: ${agent}`) };
  const { customer_id: _, ...patch } = row;
  const wanted = readCustomer(patched(stored, patch), deps.phoneRegion, 'import');
  if (!('problems' in wanted)) return keepPeoples(stored, wanted);
  const errors = wanted.problems.map(({ path, message }) => ({ column: path.split('.')[0] ?? path, message }));
  return { refused: { outcome: 'refused', errors } };
}

const wasErased = refusedFor('customer_id', 'is of somebody who was erased');

async function foresee(deps: Deps, db: Db, rows: readonly CustomerImportRow[]): Promise<Verdict[]> {
  const stored = await storedOf(db, rows);
  const unknown = await unknownOf(deps, db, rows.map(agentOf));
  const erased = await erasedAmong(db, idsOf(rows));
  return rows.map((row) => {
    if (erased.has(row.customer_id)) return wasErased;
    const before = stored.get(row.customer_id);
    const reading = readingOf(deps, before, row, unknown);
    if ('refused' in reading) return reading.refused;
    return { outcome: outcomeOf(before, reading.wanted), id: row.customer_id, kept: reading.kept };
  });
}

/** Keys before customers and customers in one order, as whoever takes in messages does it. */
async function take(deps: Deps, trx: Trx, rows: readonly CustomerImportRow[]): Promise<Verdict[]> {
  const unknown = await unknownOf(deps, trx, rows.map(agentOf));
  await lockKeys(trx, keysOf(deps, await storedOf(trx, rows), rows, unknown));
  const erased = await erasedAmong(trx, idsOf(rows));
  const verdicts = new Map<string, Verdict>();
  for (const row of rows.toSorted((a, b) => (a.customer_id < b.customer_id ? -1 : 1)))
    verdicts.set(row.customer_id, erased.has(row.customer_id) ? wasErased : await takeRow(deps, trx, row, unknown));
  return rows.map(({ customer_id }) => verdicts.get(customer_id) as Verdict);
}

const keysOf = (
  deps: Deps,
  stored: Map<string, StoredCustomer>,
  rows: readonly CustomerImportRow[],
  unknown: ReadonlySet<string>,
): string[] =>
  rows.flatMap((row) => {
    const reading = readingOf(deps, stored.get(row.customer_id), row, unknown);
    return 'wanted' in reading ? identifiersGiven(reading.wanted).map(keyOf) : [];
  });

async function takeRow(deps: Deps, trx: Trx, row: CustomerImportRow, unknown: ReadonlySet<string>): Promise<Verdict> {
  const { customer_id: id } = row;
  const locked = await lockCustomer(trx, id);
  const stored = locked && ownOf(locked);
  const reading = readingOf(deps, stored, row, unknown);
  if ('refused' in reading) return reading.refused;
  const outcome = outcomeOf(stored, reading.wanted);
  if (outcome !== 'unchanged') await saveCustomer(deps, trx, id, () => reading.wanted, undefined);
  return { outcome, id, kept: reading.kept };
}
