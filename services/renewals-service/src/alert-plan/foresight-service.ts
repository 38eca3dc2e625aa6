import type { AwaitedAlerts, ForeseenAlert } from '@ops/contracts/internal-routes';
import { InternalCallError } from '@ops/service-kit/internal-client';

/** What notifier is asked, which has the alert plan, and knows when the firm works. */
export interface Alerts {
  /** Those of each renewal in the order given, of 200 at most; rejects with an InternalCallError. */
  foresee(awaited: readonly AwaitedAlerts[]): Promise<ForeseenAlert[][]>;
}

/** Undefined: notifier is away. */
export async function foreseenAlerts(
  alerts: Alerts,
  awaited: readonly AwaitedAlerts[],
): Promise<ForeseenAlert[][] | undefined> {
  if (awaited.every((one) => one.alerts.length === 0)) return awaited.map(() => []);
  return alerts.foresee(awaited).catch((error: unknown) => {
    if (error instanceof InternalCallError) return undefined;
    throw error;
  });
}
