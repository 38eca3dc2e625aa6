import { type RenewalImportRow, renewalImportRow } from '@ops/contracts/resources/import';
import { responsibleToday, unknownOf } from '@ops/following/agent-service';
import { describe, heldLeads, leads } from '@ops/following/merge-service';
import { type ImportKind, refusedFor, type Verdict } from '@ops/imports/import';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { followMerges } from '../renewals/merged-customer-service.ts';
import { responsibleFor, type StoredRenewal } from '../renewals/renewal.rules.ts';
import {
  changeWatched,
  findRenewals,
  lockRenewals,
  lockWatches,
  type Wanted,
  watchExpiry,
} from '../renewals/watch-service.ts';
import { type ForecastDeps, forecast } from './forecast-service.ts';
import {
  type Decision,
  decide,
  type Family,
  givenToKnown,
  keyOf,
  type SeedAlerts,
  seeded,
  turnsOf,
  wishOf,
} from './import.rules.ts';
import { findRelated, lockIds, type Related, rememberIds } from './import-store.ts';

/** Renewals from a file, made and changed as a person would. */
export const renewalImport = (deps: ForecastDeps): ImportKind<RenewalImportRow> => ({
  continues: 'renewal_import.continue',
  row: renewalImportRow,
  named: async (db, rows) => led(rows, await leads(db, rows.map(customerOf))),
  keyOf,
  foresee: (trx, rows) => foresee(deps, trx, rows),
  forecast: (db, rows, { seed_alerts = 'silent' }, before) => forecast(deps, db, rows, seed_alerts, before),
  take: (trx, rows, { seed_alerts = 'silent' }) => take(deps, trx, rows, seed_alerts),
  responsible: (db, ids) => responsibleOf(deps, db, ids),
});

async function responsibleOf(deps: Deps, db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  const [responsible, renewals] = [await responsibleToday(deps, db), await findRenewals(db, ids)];
  return new Map(renewals.map((one) => [one.id, responsibleFor(one, responsible)]));
}

/** A row that names an id which is another's is about that customer, and remembers it. */
type LedRow = RenewalImportRow & { written_under: string };

const led = (rows: readonly RenewalImportRow[], lead: (id: string) => string): LedRow[] =>
  rows.map((row) => ({ ...row, customer_id: lead(row.customer_id), written_under: row.customer_id }));

const customerOf = ({ customer_id }: RenewalImportRow) => customer_id;

async function foresee(deps: Deps, trx: Trx, given: readonly RenewalImportRow[]): Promise<Verdict[]> {
  const { cards, merges } = await describe(deps.customers, given.map(customerOf));
  await followMerges(deps, trx, merges);
  const rows = led(given, await leads(trx, given.map(customerOf)));
  const unknown = await unknownOf(deps, trx, rows.map(agentOf));
  const families = await familiesOf(trx, rows, findRenewals);
  return rows.map((row, n) =>
    cards.has(row.written_under)
      ? verdictOf(givenToKnown(row, decide(row, families[n] as Family), unknown), null)
      : refusedFor('customer_id', `is no customer: ${row.written_under}`),
  );
}

const agentOf = ({ assigned_agent }: RenewalImportRow) => assigned_agent;

function verdictOf(decision: Decision, made: string | null): Verdict {
  const { outcome } = decision;
  if (outcome === 'refused') return refusedFor(decision.column, decision.message);
  return outcome === 'create' ? { outcome, id: made } : { outcome, id: decision.renewal.id };
}

const idOf = ({ id }: Related) => id;

type Read = (db: Db, ids: readonly string[]) => Promise<StoredRenewal[]>;

async function familiesOf(db: Db, rows: readonly RenewalImportRow[], read: Read): Promise<Family[]> {
  const related = await findRelated(db, rows);
  const stored = new Map((await read(db, [...new Set(related.map(idOf))])).map((one) => [one.id, one]));
  const byRow = Map.groupBy(related, ({ n }) => n);
  return rows.map((_, n) => familyOf(byRow.get(n) ?? [], stored));
}

function familyOf(related: readonly Related[], stored: Map<string, StoredRenewal>): Family {
  const those = (known: boolean) =>
    related.flatMap(({ id, by_external_id }) => (by_external_id === known ? (stored.get(id) ?? []) : []));
  return { known: those(true), alike: those(false) };
}

/** What was foreseen may not be so any more: each row is decided on again, while nobody else can make or change these. */
async function take(deps: Deps, trx: Trx, given: readonly RenewalImportRow[], seed: SeedAlerts): Promise<Verdict[]> {
  const unknown = await unknownOf(deps, trx, given.map(agentOf));
  const rows = led(given, await heldLeads(trx, given.map(customerOf)));
  await lockWatches(trx, rows);
  await lockIds(trx, rows);
  const verdicts = new Map<LedRow, Verdict>();
  for (const turn of turnsOf(rows)) {
    const families = await lockFamilies(trx, turn);
    const decided = turn.map((row, n) => ({
      row,
      decision: givenToKnown(row, decide(row, families[n] as Family), unknown),
    }));
    const taken = await takeTurn(deps, trx, decided, seed);
    for (const [n, row] of turn.entries()) verdicts.set(row, taken[n] as Verdict);
  }
  return rows.map((row) => verdicts.get(row) as Verdict);
}

async function lockFamilies(trx: Trx, turn: readonly LedRow[]): Promise<Family[]> {
  const related = await findRelated(trx, turn);
  if (related.length === 0) return turn.map(() => ({ known: [], alike: [] }));
  await lockRenewals(trx, related.map(idOf));
  // Read again: one that was completed meanwhile has a successor by now.
  return familiesOf(trx, turn, (_, ids) => lockRenewals(trx, ids));
}

async function takeTurn(
  deps: Deps,
  trx: Trx,
  decided: readonly { row: LedRow; decision: Decision }[],
  seed: SeedAlerts,
): Promise<Verdict[]> {
  const fresh = decided.filter(({ decision }) => decision.outcome === 'create').map(({ row }) => row);
  const made = await watchExpiry(
    deps,
    trx,
    fresh.map((row) => wantedOf(deps, row, seed)),
  );
  const madeFor = new Map(fresh.map((row, n) => [row, (made[n] as StoredRenewal).id]));
  for (const { row, decision } of decided)
    if (decision.outcome === 'change') await change(deps, trx, row, decision.renewal, seed);
  const verdicts = decided.map(({ row, decision }) => verdictOf(decision, madeFor.get(row) ?? null));
  await rememberIds(
    trx,
    decided.flatMap(({ row: { external_id } }, n) => {
      const renewal_id = takenBy(verdicts[n] as Verdict);
      return external_id === undefined || renewal_id === null ? [] : [{ external_id, renewal_id }];
    }),
  );
  return verdicts;
}

/** What the row made or changed is its external id's from then on. */
const takenBy = (verdict: Verdict): string | null =>
  verdict.outcome === 'create' || verdict.outcome === 'change' ? verdict.id : null;

const wantedOf = (deps: Deps, row: LedRow, seed: SeedAlerts): Wanted => ({
  customer_id: row.written_under,
  service_type: row.service_type,
  due_date: row.due_date,
  policy_id: row.policy_id ?? null,
  notes: row.notes ?? null,
  assigned_agent: row.assigned_agent ?? null,
  reminders: row.reminders !== 'off',
  silent_through: seeded(row.due_date, deps.today(), seed),
});

/** A date that is moved by a file alerts no more than one that comes with it. */
const change = (deps: Deps, trx: Trx, row: RenewalImportRow, renewal: StoredRenewal, seed: SeedAlerts) =>
  changeWatched(deps, trx, renewal, wishOf(row), { silent_through: seeded(row.due_date, deps.today(), seed) });
