import type { PlainDate } from '@ops/contracts/dates';
import type { ForeseenAlert } from '@ops/contracts/internal-routes';
import type { ImportForecast, RenewalImportRow } from '@ops/contracts/resources/import';
import type { Rung } from '@ops/contracts/resources/renewal';
import type { Night } from '../refresh/nights.rules.ts';
import type { Treatable } from '../refresh/refresh.rules.ts';
import { carriedOver, move, type StoredRenewal } from '../renewals/renewal.rules.ts';
import { type SeedAlerts, seeded } from './import.rules.ts';

/** A renewal as the row would leave it, as far as alerts go. `ledger` is what is recorded of it, for whatever date. */
export function comingOf(
  row: RenewalImportRow,
  stored: StoredRenewal | undefined,
  ledger: readonly { due_date: PlainDate; rung: Rung }[],
  { today, seed }: { today: PlainDate; seed: SeedAlerts },
): Treatable {
  const { due_date } = row;
  const silent_through = seeded(due_date, today, seed);
  if (!stored) return { due_date, ...unheld, ...nothingSent, recorded: [], silent_through };
  const recordedOf = (date: PlainDate) => ledger.flatMap((one) => (one.due_date === date ? one.rung : []));
  const before = recordedOf(stored.due_date);
  if (stored.due_date === due_date) return { ...stored, ...nothingSent, recorded: before };
  const decided = [...new Set([...carriedOver(before, due_date, today), ...recordedOf(due_date)])];
  const moved = move(stored, { due_date, silent_through }, decided, today);
  return { ...stored, ...moved, ...nothingSent, recorded: decided };
}

const nothingSent = { sent_after_hold: [], sent_once_known: [] };

/** A new one. */
const unheld = {
  status: 'UPCOMING',
  started_at: null,
  start_released: false,
  acknowledged_until: null,
  answered_until: null,
  withheld: false,
  known_after_alert: null,
  sequence: null,
} as const;

export const nothingForecast = (as_of: PlainDate): ImportForecast => ({
  as_of,
  tonight: { tasks: 0, flags: 0, messages: 0 },
  next_30_days: { tasks: 0, flags: 0, messages: 0 },
});

/** Adds what one renewal leads to; `alerts` is what each of its nights with an alert does, if anybody could say. */
export function withNights(
  sum: ImportForecast,
  nights: readonly Night[],
  alerts: readonly ForeseenAlert[] | undefined,
): ImportForecast {
  const loud = nights.filter(({ alert }) => alert !== null);
  const done = nights.map((night) => ({ night, does: alerts?.[loud.indexOf(night)] ?? nothing }));
  const first = done.filter(({ night }) => night.on === sum.as_of);
  const isKnown = alerts !== undefined;
  return {
    as_of: sum.as_of,
    tonight: withDeeds(sum.tonight, first, isKnown),
    next_30_days: withDeeds(sum.next_30_days, done, isKnown),
  };
}

const nothing = { messages: 0, task: false, leaves: null } satisfies ForeseenAlert;

type Deeds = ImportForecast['tonight'];

/** Of all alerts of a renewal there is one task. */
function withDeeds(sum: Deeds, done: readonly { night: Night; does: ForeseenAlert }[], isKnown: boolean): Deeds {
  const task = done.some(({ does }) => does.task) ? 1 : 0;
  const messages = done.reduce((all, { does }) => all + does.messages, 0);
  return {
    tasks: isKnown && sum.tasks !== null ? sum.tasks + task : null,
    flags: sum.flags + done.filter(({ night }) => night.becomesOverdue).length,
    messages: isKnown && sum.messages !== null ? sum.messages + messages : null,
  };
}
