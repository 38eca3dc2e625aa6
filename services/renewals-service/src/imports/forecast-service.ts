import { addDays } from '@ops/contracts/dates';
import type { ImportForecast, RenewalImportRow } from '@ops/contracts/resources/import';
import type { Foreseen } from '@ops/imports/import';
import type { Db } from '@ops/service-kit/database';
import { type Alerts, foreseenAlerts } from '../alert-plan/foresight-service.ts';
import { outreachPlan } from '../alert-plan/plan-service.ts';
import type { Deps } from '../deps.ts';
import { nextNight, nightsOf } from '../refresh/nights.rules.ts';
import { lastNight } from '../refresh/refresh-service.ts';
import { findRenewals, recordedOf } from '../renewals/watch-service.ts';
import { comingOf, nothingForecast, withNights } from './forecast.rules.ts';
import type { SeedAlerts } from './import.rules.ts';

export interface ForecastDeps extends Deps {
  alerts: Alerts;
}

const daysAhead = 30;

type Row = Foreseen<RenewalImportRow>;

/** What these rows lead to, added to what those before them do. Once notifier was away, flags alone are counted. */
export async function forecast(
  deps: ForecastDeps,
  db: Db,
  rows: readonly Row[],
  seed: SeedAlerts,
  before: ImportForecast | null,
): Promise<ImportForecast> {
  const sum = before ?? nothingForecast(nextNight(deps.today(), await lastNight(db)));
  const coming = await comingRenewals(deps, db, rows, seed);
  const plan = await outreachPlan(db);
  const last = addDays(sum.as_of, daysAhead);
  const nights = coming.map(({ treatable }) => nightsOf(treatable, sum.as_of, plan, last));
  const awaited = coming.map(({ customer_id, reminders }, n) => {
    const alerts = (nights[n] ?? []).flatMap(({ alert }) => alert ?? []);
    return { customer_id, reminders, alerts };
  });
  const isKnown = sum.tonight.tasks !== null;
  const alerts = isKnown ? await foreseenAlerts(deps.alerts, awaited) : undefined;
  return nights.reduce((all, one, n) => withNights(all, one, alerts?.[n]), sum);
}

async function comingRenewals({ today }: Deps, db: Db, rows: readonly Row[], seed: SeedAlerts) {
  const ids = rows.flatMap(({ id }) => id ?? []);
  const stored = new Map((await findRenewals(db, ids)).map((one) => [one.id, one]));
  const ledger = Map.groupBy(await recordedOf(db, ids), ({ renewal_id }) => renewal_id);
  return rows.map(({ row, id }) => {
    const known = id === null ? undefined : stored.get(id);
    const recorded = id === null ? [] : (ledger.get(id) ?? []);
    const { customer_id, reminders = known?.reminders === false ? 'off' : 'on' } = row;
    return { customer_id, reminders, treatable: comingOf(row, known, recorded, { today: today(), seed }) };
  });
}
