import { addDays } from '@ops/contracts/dates';
import type { AwaitedAlerts, ForeseenAlert } from '@ops/contracts/internal-routes';
import { instantsOf } from '@ops/contracts/local-time';
import type { Leaving } from '@ops/contracts/resources/calendar';
import type { Db } from '@ops/service-kit/database';
import { workingTime } from '../calendar/calendar-service.ts';
import type { Deps } from '../deps.ts';
import { readPlan } from './alert-plan-store.ts';
import { readCards } from './carrying-out-service.ts';
import { leaving } from './leaving.rules.ts';
import { decideAlert, isMessage } from './planning.rules.ts';

/** Decided as alerts are, of renewals that nobody has made yet, on a date that has not come. */
export async function foreseeAlerts(
  { comms, today }: Deps,
  db: Db,
  awaited: readonly AwaitedAlerts[],
): Promise<ForeseenAlert[][]> {
  const { steps, fall_through: fallThrough } = await readPlan(db);
  const cards = await readCards(
    comms,
    awaited.map(({ customer_id }) => customer_id),
  );
  return awaited.map(({ customer_id, reminders, alerts }) => {
    // As of any date: what an alert does depends on the rung alone, while its renewal is open and not moved.
    const renewal = { status: 'UPCOMING', due_date: '', reminders, hold: null } as const;
    const about = { fallThrough, renewal, dueDate: renewal.due_date, today: today(), card: cards.get(customer_id) };
    return alerts.map(({ rung, silent }) => summed(decideAlert({ ...about, step: steps[rung], rung, silent })));
  });
}

function summed(decisions: ReturnType<typeof decideAlert>): ForeseenAlert {
  const planned = decisions.filter(({ outcome }) => outcome === 'planned');
  const messages = planned.filter(isMessage).length;
  return { messages, task: planned.some(({ channel }) => channel === 'TASK') };
}

/** Of an alert whose date is far away, which fires as that night begins: on the day itself, now. */
export async function foreseeLeaving(deps: Deps, db: Db, as_of: string): Promise<Leaving> {
  const [midnight = deps.now()] = instantsOf(new Date(as_of), deps.timeZone);
  const { quiet_hours: quietHours } = await readPlan(db);
  const waiting = { time: await workingTime(deps, db, as_of), quietHours, zone: deps.timeZone };
  const at = as_of === deps.today() ? deps.now() : midnight;
  const waits = leaving(at, waiting, { rung: '90', due_date: addDays(as_of, 90) });
  return { as_of, send_after: waits?.at.toISOString() ?? null, send_after_reason: waits?.reason ?? null };
}
