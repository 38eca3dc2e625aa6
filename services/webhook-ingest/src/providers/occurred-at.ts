const earliest = Date.UTC(2009, 0, 1);
const mostAheadMs = 5 * 60_000;

/**
 * The provider's time as far as it can be true: no message is older than its channel, none is from the future. What is
 * out of range, or no time at all, takes the nearest that could be.
 */
export function occurredAt(given: Date | undefined, receivedAt: Date): string {
  const at = given?.getTime() ?? Number.NaN;
  if (Number.isNaN(at)) return receivedAt.toISOString();
  return new Date(Math.min(Math.max(at, earliest), receivedAt.getTime() + mostAheadMs)).toISOString();
}
