import type { EventData } from '@ops/contracts/events';
import type { News } from './send.rules.ts';

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

/** In one form, whoever writes it: lower-case, its domain as mail servers know it. */
export function comparableAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return `${address.slice(0, at)}${URL.parse(`http://${domain}`)?.hostname ?? domain}`.normalize('NFC').toLowerCase();
}

/** Earlier first: the history reads as it happened, where the provider's clock tells. */
export const inOrder = <R extends { occurred_at: Date }>(receipts: readonly R[]): R[] =>
  receipts.toSorted((a, b) => a.occurred_at.getTime() - b.occurred_at.getTime());
