import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { RenewalImportQuery, RenewalImportRow } from '@ops/contracts/resources/import';
import type { Rung } from '@ops/contracts/resources/renewal';
import { isClosed, type StoredRenewal } from '../renewals/renewal.rules.ts';
import { silentThrough } from '../renewals/rungs.rules.ts';

export type SeedAlerts = RenewalImportQuery['seed_alerts'];

/** Rows of a file with the same are about the same renewal. */
export function keyOf({ external_id, customer_id, service_type, policy_id, due_date }: RenewalImportRow): string {
  if (external_id !== undefined) return `external id ${external_id}`;
  const of = `${customer_id} ${service_type}`;
  return policy_id === undefined ? `${of} due ${due_date}` : `${of} policy ${policy_id}`;
}

/** What is stored that a row is about, with what came before and after. */
export interface Family {
  /** Known by the external id of the row. */
  known: readonly StoredRenewal[];
  /** Of what else the row says, and known by no other external id. */
  alike: readonly StoredRenewal[];
}

/** What a row wants of a renewal that is there; what it does not say stays. */
export interface RowWish {
  due_date: PlainDate;
  notes?: string | undefined;
  policy_id?: string | undefined;
  assigned_agent?: string | undefined;
  reminders?: boolean | undefined;
}

export const wishOf = (row: RenewalImportRow): RowWish => ({
  due_date: row.due_date,
  notes: row.notes,
  policy_id: row.policy_id,
  assigned_agent: row.assigned_agent,
  reminders: row.reminders === undefined ? undefined : row.reminders === 'on',
});

export type Decision =
  | { outcome: 'create' }
  | { outcome: 'change' | 'unchanged'; renewal: StoredRenewal }
  | { outcome: 'refused'; column: keyof RenewalImportRow; message: string };

/**
 * When all that its external id stood for is closed, a later date goes on with what else the row says. What was cancelled
 * there was not of this id: it does not say that nobody is to watch the date.
 */
export function decide(row: RenewalImportRow, { known, alike }: Family): Decision {
  if (known.some((one) => one.customer_id !== row.customer_id || one.service_type !== row.service_type))
    return refused('external_id', 'stands for a renewal of another customer or service type');
  const decision = decideOn(row, known, true);
  if (decision.outcome !== 'create') return decision;
  const others = known.length === 0 ? alike : alike.filter(({ status }) => status !== 'CANCELLED');
  return decideOn(row, others, row.external_id === undefined);
}

/**
 * A date that is there already is the one meant, closed or not: a list of last year opens nothing again. Any other date
 * is a new one for the renewal that is still open, or, where all are closed, a later one is a new term.
 */
function decideOn(row: RenewalImportRow, renewals: readonly StoredRenewal[], isKnown: boolean): Decision {
  const open = renewals.filter(({ status }) => !isClosed(status)).toSorted(byDate);
  const closed = renewals.filter(({ status }) => isClosed(status)).toSorted(byDate);
  const ofDate = [...open, ...closed].find(({ due_date }) => due_date === row.due_date);
  if (ofDate)
    return isClosed(ofDate.status) ? { outcome: 'unchanged', renewal: ofDate } : changeOf(row, ofDate, isKnown);
  const lastRenewed = closed.filter(({ status }) => status === 'COMPLETED').at(-1);
  if (lastRenewed && row.due_date < lastRenewed.due_date)
    return refused('due_date', `is before ${lastRenewed.due_date}, of which it was renewed already`);
  if (open[0]) return changeOf(row, open[0], isKnown);
  const last = closed.at(-1);
  return last && row.due_date < last.due_date
    ? refused('due_date', `cannot be changed any more: the renewal is ${last.status}`)
    : { outcome: 'create' };
}

const refused = (column: keyof RenewalImportRow, message: string): Decision => ({
  outcome: 'refused',
  column,
  message,
});

const byDate = (a: StoredRenewal, b: StoredRenewal) => (a.due_date < b.due_date ? -1 : 1);

/** To be known by its external id from now on is a change too. */
function changeOf(row: RenewalImportRow, renewal: StoredRenewal, isKnown: boolean): Decision {
  const wished = Object.entries(wishOf(row)).filter(([, value]) => value !== undefined);
  const isSo = wished.every(([name, value]) => renewal[name as keyof RowWish] === value);
  return { outcome: isSo && isKnown ? 'unchanged' : 'change', renewal };
}

/** Somebody nobody knows is given nothing; who has it already, from before agents were known, may be named again. */
export function givenToKnown(row: RenewalImportRow, decision: Decision, unknown: ReadonlySet<string>): Decision {
  const { assigned_agent: agent } = row;
  if (agent === undefined || !unknown.has(agent) || decision.outcome === 'refused') return decision;
  if (decision.outcome !== 'create' && (decision.outcome === 'unchanged' || decision.renewal.assigned_agent === agent))
    return decision;
  return refused('assigned_agent', `is not a known agent: ${agent}`);
}

/** Of rungs reached already the customer is not written to: of all of them, or of those looser than two weeks. */
export const seeded = (dueDate: PlainDate, today: PlainDate, seed: SeedAlerts): Rung | null =>
  silentThrough(daysBetween(today, dueDate), seed === 'silent' ? 'OVERDUE' : '30');

/** In turns, each with one row of a customer and service type at most: two of them may be about the same renewal. */
export function turnsOf<T extends Pick<RenewalImportRow, 'customer_id' | 'service_type'>>(rows: readonly T[]): T[][] {
  const turns: T[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const of = `${row.customer_id}:${row.service_type}`;
    const turn = seen.get(of) ?? 0;
    seen.set(of, turn + 1);
    const others = turns[turn];
    if (others) others.push(row);
    else turns.push([row]);
  }
  return turns;
}
