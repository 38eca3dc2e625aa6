const dayMs = 86_400_000;
/** As long as providers try to reach us. */
const mostBeforeMs = 7 * dayMs;
/** As far as clocks go wrong that are set at all. */
const mostAheadMs = 10 * 60_000;

/**
 * When it was said: as it is dated, if that can be true of what came just now, else when it came. A clock set wrong, or a
 * date made up, would file it where nobody looks and have it removed before anybody read it; what it claims is kept beside.
 * What was said long ago and is handed over now, such as a history, is dated by whoever hands it over instead.
 */
export function whenSaid(
  given: Date | undefined,
  receivedAt: Date,
): { occurred_at: string; claimed_at: string | null } {
  const received = receivedAt.getTime();
  const at = given?.getTime() ?? Number.NaN;
  if (at >= received - mostBeforeMs && at <= received + mostAheadMs)
    return { occurred_at: new Date(at).toISOString(), claimed_at: null };
  return { occurred_at: receivedAt.toISOString(), claimed_at: writable(at) ? new Date(at).toISOString() : null };
}

/** Within the years that are written with four digits. */
const writable = (at: number): boolean => at >= Date.UTC(1000) && at < Date.UTC(10_000);

/** Of a receipt, which nobody is shown the date of. */
export const occurredAt = (given: Date | undefined, receivedAt: Date): string =>
  whenSaid(given, receivedAt).occurred_at;
