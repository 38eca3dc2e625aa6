import type { WebhookDelivery } from '@ops/contracts/resources/webhook-delivery';

/** As far as it decides the outcome: an item read from a delivery. */
export interface ItemVerdict {
  outcome: 'published' | 'not_understood';
  reason: string | null;
}

export type Summary = Pick<WebhookDelivery, 'outcome' | 'reason' | 'items'>;

const mostReasons = 5;

/** `read`: everything found in the payload. `own`: what of it no delivery had brought before. */
export function summaryOf(read: readonly ItemVerdict[], own: readonly ItemVerdict[], problem?: string): Summary {
  const reasons = new Set([problem, ...read.map((item) => item.reason)].filter((reason) => reason != null));
  const reason = [...reasons].slice(0, mostReasons).join('; ') || null;
  const items = own.filter(isPublished).length;
  if (read.length === 0) return { outcome: 'not_understood', reason: reason ?? 'There is nothing in it', items };
  if (own.length === 0) return { outcome: 'duplicate', reason, items };
  return { outcome: understanding(read, problem), reason, items };
}

/** Kept, though the provider was told that it was not taken: reading it again takes it. */
export const refusedFor = (reason: string): Summary => ({
  outcome: 'not_understood',
  reason: `It was refused: ${reason}`,
  items: 0,
});

const isPublished = ({ outcome }: ItemVerdict) => outcome === 'published';

function understanding(read: readonly ItemVerdict[], problem: string | undefined): Summary['outcome'] {
  if (!read.some(isPublished)) return 'not_understood';
  return problem === undefined && read.every(isPublished) ? 'processed' : 'partly';
}
