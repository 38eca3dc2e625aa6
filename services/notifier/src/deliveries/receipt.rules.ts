import type { EventData } from '@ops/contracts/events';
import type { News } from './delivery.rules.ts';

type Received = EventData<'provider.receipt.received'>;

export const newsOf = (
  receipt: Pick<Received, 'status' | 'failure' | 'external_id'> & { occurred_at: Date },
): News => ({
  status: receipt.status,
  failure: receipt.status === 'FAILED' ? (receipt.failure ?? unexplained) : null,
  provider_message_id: receipt.external_id,
  at: receipt.occurred_at,
});

const unexplained = { code: 'not_delivered', message: 'The provider does not say why' };

/** Earlier first: the history reads as it happened, where the provider's clock tells. */
export const inOrder = <R extends { occurred_at: Date }>(receipts: readonly R[]): R[] =>
  receipts.toSorted((a, b) => a.occurred_at.getTime() - b.occurred_at.getTime());
