import type { Alert, ComingAlert, Rung } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { type Alerts, foreseenAlerts } from '../alert-plan/foresight-service.ts';
import { outreachPlan } from '../alert-plan/plan-service.ts';
import type { Deps } from '../deps.ts';
import { nextNight, nightsOf } from '../refresh/nights.rules.ts';
import { lastRefreshed } from '../refresh/refresh-service.ts';
import { isClosed, type StoredRenewal } from '../renewals/renewal.rules.ts';
import { recordedOf } from '../renewals/watch-service.ts';

export interface ForeseeingDeps extends Deps {
  alerts: Alerts;
}

/** What the nights are still to decide of a renewal, and when that leaves as far as notifier can be asked. */
export async function whatComes(
  deps: ForeseeingDeps,
  db: Db,
  stored: StoredRenewal,
  alerts: readonly Alert[],
): Promise<ComingAlert[]> {
  if (isClosed(stored.status)) return [];
  const { id, customer_id, due_date } = stored;
  const recorded = (await recordedOf(db, [id])).filter((one) => one.due_date === due_date).map(({ rung }) => rung);
  const sent = (step: string): Rung[] =>
    alerts.filter((one) => one.due_date === due_date && one.step.startsWith(step)).map(({ rung }) => rung);
  const treatable = {
    ...stored,
    recorded,
    sent_after_hold: sent('after_hold'),
    sent_once_known: sent('customer_known'),
  };
  const first = nextNight(deps.today(), await lastRefreshed(db));
  const coming = nightsOf(treatable, first, await outreachPlan(db)).flatMap(({ on, alert }) =>
    alert ? [{ ...alert, on }] : [],
  );
  const reminders = stored.reminders ? 'on' : 'off';
  const foreseen = await foreseenAlerts(deps.alerts, [{ customer_id, reminders, due_date, alerts: coming }]);
  return coming.flatMap(({ silent: _, ...one }, n) => {
    const told = foreseen?.[0]?.[n];
    // A hold keeps nothing back of an alert that is somebody's task alone.
    const isOwed = one.step !== 'after_hold' || told?.messages !== 0;
    return isOwed ? [{ ...one, leaves: told?.leaves ?? null }] : [];
  });
}
