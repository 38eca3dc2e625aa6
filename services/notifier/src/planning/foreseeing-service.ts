import type { AwaitedAlerts, CustomerCard, ForeseenAlert } from '@ops/contracts/internal-routes';
import { instantsOf } from '@ops/contracts/local-time';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Leaves } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import type { WorkingTime } from '../calendar/calendar.rules.ts';
import { workingTime } from '../calendar/calendar-service.ts';
import type { Deps } from '../deps.ts';
import { readPlan } from './alert-plan-store.ts';
import { readCards } from './carrying-out-service.ts';
import { leaving } from './leaving.rules.ts';
import { byUrgency } from './letter.rules.ts';
import { decideAlert, isMessage, wayOf } from './planning.rules.ts';

type Renewal = Omit<AwaitedAlerts, 'alerts'>;
type Alert = AwaitedAlerts['alerts'][number];

/** Decided as alerts are, of renewals that nobody may have made yet, on dates that have not come. */
export async function foreseeAlerts(deps: Deps, db: Db, awaited: readonly AwaitedAlerts[]): Promise<ForeseenAlert[][]> {
  const plan = await readPlan(db);
  const cards = await readCards(
    deps.comms,
    awaited.map(({ customer_id }) => customer_id),
  );
  const renewals = awaited.map(({ alerts, ...renewal }) => {
    const card = cards.get(renewal.customer_id);
    return alerts.map((alert) => ({ ...renewal, ...alert, ...deedsOf(deps, plan, renewal, card, alert) }));
  });
  const leaves = await whenTheyLeave(deps, db, plan, cards, renewals.flat());
  return renewals.map((alerts) =>
    alerts.map(({ messages, task, ...one }) => ({
      messages,
      task,
      leaves: messages === 0 ? null : (leaves.get(letterOf(one)) ?? null),
    })),
  );
}

function deedsOf(
  { today }: Deps,
  plan: AlertPlan,
  { reminders }: Renewal,
  card: CustomerCard | undefined,
  alert: Alert,
): Omit<ForeseenAlert, 'leaves'> {
  // As of any date: what an alert does depends on the rung alone, while its renewal is open and not moved.
  const renewal = { status: 'UPCOMING', due_date: '', reminders, hold: null } as const;
  const about = { rung: alert.rung, silent: alert.silent, renewal, dueDate: renewal.due_date, today: today(), card };
  const planned = decideAlert({ ...about, ...wayOf(plan, alert) }).filter(({ outcome }) => outcome === 'planned');
  const messages = planned.filter(isMessage).length;
  return { messages, task: planned.some(({ channel }) => channel === 'TASK') };
}

type Coming = Renewal & Alert & Omit<ForeseenAlert, 'leaves'>;

/** What goes to one customer in one night goes together, when the most urgent of it does. */
const letterOf = ({ customer_id, on }: Pick<Coming, 'customer_id' | 'on'>): string => `${on} ${customer_id}`;

async function whenTheyLeave(
  deps: Deps,
  db: Db,
  { quiet_hours: quietHours }: AlertPlan,
  cards: ReadonlyMap<string, CustomerCard>,
  coming: readonly Coming[],
): Promise<Map<string, Leaves>> {
  const leaves = new Map<string, Leaves>();
  const messages = coming.flatMap(({ on, due_date, ...one }) =>
    one.messages > 0 && on && due_date ? { ...one, on, due_date, renewal_id: '' } : [],
  );
  const times = new Map<string, WorkingTime>();
  for (const one of messages.toSorted(byUrgency)) {
    if (leaves.has(letterOf(one))) continue;
    const year = one.on.slice(0, 4);
    const time = times.get(year) ?? (await workingTime(deps, db, one.on));
    times.set(year, time);
    const zone = cards.get(one.customer_id)?.time_zone ?? deps.timeZone;
    const waits = leaving(nightOf(deps, one.on), { time, quietHours, zone }, one);
    leaves.set(letterOf(one), {
      send_after: waits?.at.toISOString() ?? null,
      send_after_reason: waits?.reason ?? null,
    });
  }
  return leaves;
}

/** When its refresh begins, as installed: quiet hours may begin after midnight where a customer is. Of today: now. */
function nightOf({ now, today, timeZone }: Deps, on: string): Date {
  const [night = now()] = on > today() ? instantsOf(new Date(`${on}T02:00:00Z`), timeZone) : [];
  return night;
}
