import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { Proposal } from '@ops/contracts/resources/proposal';
import {
  type PutRetention,
  type RetentionPlace,
  type RetentionPolicy,
  type RetentionRun,
  type RetentionSubject,
  retentionSubject,
} from '@ops/contracts/resources/retention';

type KeepDays = RetentionPolicy['keep_days'];
export type Wanted = PutRetention['keep_days'];

const DAY_MS = 86_400_000;

/** What is left out keeps its time; undefined when that changes nothing. */
export function changedDays(kept: KeepDays, wanted: Wanted): KeepDays | undefined {
  const changed = bySubject((subject) => wanted[subject] ?? kept[subject]);
  return retentionSubject.options.some((subject) => changed[subject] !== kept[subject]) ? changed : undefined;
}

interface Sorted {
  longer: Wanted;
  shorter: Proposal['keep_days'];
}

/** Nobody loses anything by what is kept for longer; what is kept for less long does not come back. */
export function sorted(kept: KeepDays, wanted: Wanted): Sorted {
  const asked = retentionSubject.options.flatMap((name) => {
    const to = wanted[name];
    return to === undefined || to === kept[name] ? [] : [{ name, from: kept[name], to }];
  });
  return {
    longer: Object.fromEntries(asked.flatMap(({ name, from, to }) => (to > from ? [[name, to]] : []))),
    shorter: Object.fromEntries(asked.flatMap(({ name, from, to }) => (to < from ? [[name, { from, to }]] : []))),
  };
}

/** Days count from now back, in whole days of 24 hours. */
export function orderOf(keepDays: KeepDays, dryRun: boolean, asOf: Date, held: string[]): RetentionOrder {
  const before = bySubject((subject) => new Date(asOf.getTime() - keepDays[subject] * DAY_MS).toISOString());
  return { dry_run: dryRun, before, held };
}

const bySubject = <T>(of: (subject: RetentionSubject) => T) =>
  Object.fromEntries(retentionSubject.options.map((subject) => [subject, of(subject)])) as Record<RetentionSubject, T>;

/** What came of one service's part: the rows of its places, and why there are not more. */
export interface Share {
  places: RetentionPlace[];
  failure: string | null;
}

/** A service is asked until it has no more, and tells each time what it removed. */
export function addUp(told: readonly RetentionPlace[]): RetentionPlace[] {
  const sums = new Map<string, RetentionPlace>();
  for (const { service, place, rows } of told) {
    const name = JSON.stringify([service, place]);
    sums.set(name, { service, place, rows: rows + (sums.get(name)?.rows ?? 0) });
  }
  return [...sums.values()];
}

/** A run without one of its services is a failed one, whatever the others removed. */
export function outcomeOf(shares: readonly Share[]): Pick<RetentionRun, 'status' | 'places' | 'failure'> {
  const failures = shares.flatMap(({ failure }) => failure ?? []);
  const places = shares.flatMap((share) => share.places);
  return failures.length === 0
    ? { status: 'completed', places, failure: null }
    : { status: 'failed', places, failure: failures.join('; ') };
}
