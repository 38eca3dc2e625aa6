import { type CustomerImportRow, customerImportRow } from '@ops/contracts/resources/import';
import type { Db, Trx } from '@ops/service-kit/database';
import type { ImportKind, Verdict } from '@ops/service-kit/imports/import';
import { identifiersGiven, readCustomer, type StoredCustomer, type Wanted } from '../customers/customer.rules.ts';
import { findCustomers, lockCustomer, saveCustomer } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { lockKeys } from '../filing/filing-service.ts';
import { keyOf } from '../filing/matching.rules.ts';
import { merged, outcomeOf } from './import.rules.ts';

/** Customers from a file, put as a person would put them. */
export const customerImport = (deps: Deps): ImportKind<CustomerImportRow> => ({
  row: customerImportRow,
  keyOf: ({ customer_id }) => customer_id,
  foresee: (db, rows) => foresee(deps, db, rows),
  take: (trx, rows) => take(deps, trx, rows),
});

async function storedOf(db: Db, rows: readonly CustomerImportRow[]): Promise<Map<string, StoredCustomer>> {
  const found = await findCustomers(
    db,
    rows.map(({ customer_id }) => customer_id),
  );
  return new Map(found.map((one) => [one.id, one]));
}

type Reading = { wanted: Wanted } | { refused: Verdict };

/** What is wrong with one of several in a cell is told of the column. */
function readingOf(deps: Deps, stored: StoredCustomer | undefined, row: CustomerImportRow): Reading {
  const wanted = readCustomer(merged(stored, row), deps.phoneRegion);
  if (!('problems' in wanted)) return { wanted };
  const errors = wanted.problems.map(({ path, message }) => ({ column: path.split('.')[0] ?? path, message }));
  return { refused: { outcome: 'refused', errors } };
}

async function foresee(deps: Deps, db: Db, rows: readonly CustomerImportRow[]): Promise<Verdict[]> {
  const stored = await storedOf(db, rows);
  return rows.map((row) => {
    const before = stored.get(row.customer_id);
    const reading = readingOf(deps, before, row);
    if ('refused' in reading) return reading.refused;
    return { outcome: outcomeOf(before, reading.wanted), id: row.customer_id };
  });
}

/** Keys before customers and customers in one order, as whoever takes in messages does it. */
async function take(deps: Deps, trx: Trx, rows: readonly CustomerImportRow[]): Promise<Verdict[]> {
  await lockKeys(trx, keysOf(deps, await storedOf(trx, rows), rows));
  const verdicts = new Map<string, Verdict>();
  for (const row of rows.toSorted((a, b) => (a.customer_id < b.customer_id ? -1 : 1)))
    verdicts.set(row.customer_id, await takeRow(deps, trx, row));
  return rows.map(({ customer_id }) => verdicts.get(customer_id) as Verdict);
}

const keysOf = (deps: Deps, stored: Map<string, StoredCustomer>, rows: readonly CustomerImportRow[]): string[] =>
  rows.flatMap((row) => {
    const reading = readingOf(deps, stored.get(row.customer_id), row);
    return 'wanted' in reading ? identifiersGiven(reading.wanted).map(keyOf) : [];
  });

async function takeRow(deps: Deps, trx: Trx, row: CustomerImportRow): Promise<Verdict> {
  const { customer_id: id } = row;
  const stored = await lockCustomer(trx, id);
  const reading = readingOf(deps, stored, row);
  if ('refused' in reading) return reading.refused;
  const outcome = outcomeOf(stored, reading.wanted);
  if (outcome !== 'unchanged') await saveCustomer(deps, trx, id, reading.wanted, undefined);
  return { outcome, id };
}
