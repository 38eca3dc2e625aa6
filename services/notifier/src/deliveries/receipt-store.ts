import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';

export interface Receipt {
  item_id: string;
  provider: string;
  external_id: string;
  attempt_id: string | null;
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  failure: Failure | null;
  occurred_at: Date;
}

export interface NewReceipt extends Receipt {
  received_at: Date;
}

export interface ProviderId {
  provider: string;
  external_id: string;
}

/**
 * Who records a provider's id and who looks for it take turns: otherwise each could miss what the other is just about
 * to commit, and the receipt would wait for ever.
 */
export const lockProviderIds = (trx: Trx, ids: readonly ProviderId[]): Promise<void> =>
  lockKeys(
    trx,
    ids.map(({ provider, external_id }) => `${provider} ${external_id}`),
  );

/** Answers those that were not here before. */
export async function insertReceipts(trx: Trx, receipts: readonly NewReceipt[]): Promise<Set<string>> {
  const rows = receipts.map((one) => ({ ...one, failure: one.failure && JSON.stringify(one.failure) }));
  const inserted = await trx('receipts').insert(rows).onConflict('item_id').ignore().returning('item_id');
  return new Set(inserted.map(({ item_id }) => item_id));
}

/** Which delivery each is for: by our own id of the attempt where the provider gives it back, else by the provider's. */
export async function findDeliveries(trx: Trx, receipts: readonly Receipt[]): Promise<Map<string, string>> {
  const { rows } = await trx.raw(
    `SELECT r.item_id, d.id
     FROM unnest(CAST(:items AS uuid[]), CAST(:providers AS text[]), CAST(:ids AS text[]), CAST(:attempts AS uuid[]))
       AS r (item_id, provider, external_id, attempt_id)
     CROSS JOIN LATERAL (
       SELECT c.id FROM (
         SELECT a.id, 1 AS choice FROM deliveries a WHERE a.id = r.attempt_id AND a.provider = r.provider
         UNION ALL
         SELECT p.id, 2 FROM deliveries p
         WHERE p.provider = r.provider AND p.provider_message_id = r.external_id
       ) c ORDER BY c.choice LIMIT 1) d`,
    {
      items: receipts.map(({ item_id }) => item_id),
      providers: receipts.map(({ provider }) => provider),
      ids: receipts.map(({ external_id }) => external_id),
      attempts: receipts.map(({ attempt_id }) => attempt_id),
    },
  );
  return new Map(rows.map(({ item_id, id }: { item_id: string; id: string }) => [item_id, id]));
}

export async function assign(trx: Trx, deliveryOf: ReadonlyMap<string, string>): Promise<void> {
  await trx.raw(
    `UPDATE receipts r SET delivery_id = f.delivery_id
     FROM unnest(CAST(:items AS uuid[]), CAST(:deliveries AS uuid[])) AS f (item_id, delivery_id)
     WHERE r.item_id = f.item_id`,
    { items: [...deliveryOf.keys()], deliveries: [...deliveryOf.values()] },
  );
}

/** Those that came before anybody knew whose they are. */
export async function takeWaiting(trx: Trx, { provider, external_id }: ProviderId, deliveryId: string) {
  const { rows } = await trx.raw(
    `UPDATE receipts SET delivery_id = :delivery_id
     WHERE provider = :provider AND external_id = :external_id AND delivery_id IS NULL
     RETURNING item_id, provider, external_id, attempt_id, status, failure, occurred_at`,
    { provider, external_id, delivery_id: deliveryId },
  );
  return rows as Receipt[];
}
