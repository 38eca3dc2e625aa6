import type { RetentionOrder } from '../src/internal-routes.ts';
import { type RetentionSubject, retentionSubject } from '../src/resources/retention.ts';

const dayMs = 86_400_000;

/** Seven years for what was said and who changed what, 90 days for raw payloads, 30 for working rows. */
const usualDays: Record<RetentionSubject, number> = {
  MESSAGING_APP: 2557,
  EMAIL: 2557,
  SMS: 2557,
  CALL_LOG: 2557,
  INTERNAL_NOTE: 2557,
  RAW_WEBHOOK_PAYLOAD: 90,
  SERVICE_ROW: 30,
  AUDIT: 2557,
};

export const daysBefore = (asOf: Date, days: number): string => new Date(asOf.getTime() - days * dayMs).toISOString();

/** As a run gives it to a service; what is not given is kept for its usual time. */
export function retentionOrder(
  asOf: Date,
  keepDays: Partial<Record<RetentionSubject, number>> = {},
  dryRun = false,
): RetentionOrder {
  const before = retentionSubject.options.map((subject) => [
    subject,
    daysBefore(asOf, keepDays[subject] ?? usualDays[subject]),
  ]);
  return { dry_run: dryRun, before: Object.fromEntries(before), held: [] };
}

/** What a run says of each place that had something. */
export const rowsByPlace = ({ places }: { places: readonly { place: string; rows: number }[] }) =>
  Object.fromEntries(places.filter(({ rows }) => rows > 0).map(({ place, rows }) => [place, rows]));
