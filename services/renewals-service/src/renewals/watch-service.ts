import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { Rung } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import { clearFlag, redateFlag } from '../compliance/flag-service.ts';
import type { Deps } from '../deps.ts';
import * as ledger from './ledger-store.ts';
import { carriedOver, type Moving, move, type RenewalChange, type StoredRenewal } from './renewal.rules.ts';
import { announce } from './renewal-events.ts';
import * as store from './renewal-store.ts';
import { nextAlertOn } from './rungs.rules.ts';
import { anchoredAt } from './terms.rules.ts';

export { recordedOf, takeUpAgain } from './ledger-store.ts';
export {
  findRenewal,
  findRenewals,
  lockRenewal,
  lockRenewals,
  lockWatch,
  lockWatches,
} from './renewal-store.ts';

/** An expiry date to be watched. */
export interface Wanted {
  /** The id it is written under, whoever that leads to. */
  customer_id: string;
  service_type: string;
  due_date: PlainDate;
  /** Left out: the day of the due date. */
  anchor_day?: number;
  policy_id: string | null;
  notes: string | null;
  assigned_agent: string | null;
  /** Left out: reminders are on. */
  reminders?: boolean;
  /** The policy or permit it is made for. */
  source?: { kind: string; id: string };
  predecessor_id?: string;
  /** Left out: the customer is written to, however near the date is. */
  silent_through?: Rung | null;
}

/** Makes renewals, however many, in a few statements; answers them in the order given. */
export async function watchExpiry(deps: Deps, trx: Trx, wanted: readonly Wanted[]): Promise<StoredRenewal[]> {
  if (wanted.length === 0) return [];
  const [at, on] = [deps.now(), deps.today()];
  const renewals = wanted.map(newRenewal);
  await store.insertRenewals(trx, renewals, { on, at });
  const ids = renewals.map(({ id }) => id);
  const stored = new Map((await store.findRenewals(trx, ids)).map((one) => [one.id, one]));
  const made = ids.flatMap((id) => stored.get(id) ?? []);
  await announce(deps, trx, 'created', made, []);
  return made;
}

const newRenewal = (wanted: Wanted): store.NewRenewal => ({
  id: uuidv7(),
  customer_id: wanted.customer_id,
  service_type: wanted.service_type,
  due_date: wanted.due_date,
  anchor_day: wanted.anchor_day ?? anchoredAt(wanted.due_date).anchor_day,
  policy_id: wanted.policy_id,
  notes: wanted.notes,
  assigned_agent: wanted.assigned_agent,
  reminders: wanted.reminders ?? true,
  source_kind: wanted.source?.kind ?? null,
  source_id: wanted.source?.id ?? null,
  predecessor_id: wanted.predecessor_id ?? null,
  next_alert_on: nextAlertOn(wanted.due_date, []),
  silent_through: wanted.silent_through ?? null,
});

type Dated = Pick<StoredRenewal, 'id' | 'due_date'>;

const passedOver = ({ id, due_date }: Dated, rungs: readonly Rung[], today: PlainDate): ledger.PassedOver[] =>
  rungs.map((rung) => ({ renewal_id: id, due_date, rung, days_until_due: daysBetween(today, due_date) }));

type Changeable = 'due_date' | 'notes' | 'policy_id' | 'assigned_agent' | 'reminders';

/** What is left out stays; so does the anchor day, where the date leads to it. */
export type Wish = {
  [Name in Changeable | 'anchor_day' | 'source_kind' | 'source_id']?: RenewalChange[Name] | undefined;
};

/** How a new date comes. */
type Manner = Pick<Moving, 'silent_through'>;

/** Changes a locked, active renewal; what is so already changes nothing, and nobody hears of it. */
export async function changeWatched(
  deps: Deps,
  trx: Trx,
  stored: StoredRenewal,
  wish: Wish,
  manner: Manner = {},
): Promise<StoredRenewal> {
  const differing = differences(stored, wish);
  if (Object.keys(differing).length === 0) return stored;
  const { due_date } = differing;
  const moved = due_date === undefined ? {} : await moveDate(deps, trx, stored, { due_date, ...manner });
  const changed = await store.changeRenewal(trx, stored.id, { ...moved, ...differing }, deps.now());
  await announce(deps, trx, 'changed', [changed], [stored]);
  return changed;
}

function differences(stored: StoredRenewal, wish: Wish): RenewalChange {
  const entries = Object.entries(wish).filter(
    ([name, value]) => value !== undefined && value !== stored[name as keyof Wish],
  );
  return Object.fromEntries(entries);
}

async function moveDate(deps: Deps, trx: Trx, stored: StoredRenewal, to: Moving) {
  const { due_date: dueDate } = to;
  const [now, today] = [deps.now(), deps.today()];
  if (stored.silenced) await ledger.takeUpAgain(trx, [stored.id]);
  const carried = carriedOver(await ledger.recordedRungs(trx, stored.id, stored.due_date), dueDate, today);
  await ledger.passOver(trx, passedOver({ id: stored.id, due_date: dueDate }, carried, today), now);
  // The renewal may have had this date before, with rungs in the ledger.
  const recorded = await ledger.recordedRungs(trx, stored.id, dueDate);
  const withheld = stored.withheld || (await ledger.isKeptBack(trx, stored.id, dueDate));
  const moved = move({ ...stored, withheld }, to, recorded, today);
  if (moved.status === 'OVERDUE') await redateFlag(trx, stored.id, dueDate);
  else await clearFlag(trx, stored.id, 'date_changed', now);
  return moved;
}
